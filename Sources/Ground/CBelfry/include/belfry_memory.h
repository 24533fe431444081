// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Memory that outlives the process.

#ifndef BELFRY_MEMORY_H
#define BELFRY_MEMORY_H

#include <stdint.h>

/// Stores a number after everything that was stored before it.
static inline void belfry_publish(uint64_t *place, uint64_t value) {
    __atomic_store_n(place, value, __ATOMIC_RELEASE);
}

/// Makes a file of this size in memory, whose size cannot change any more (memfd_create(2), F_ADD_SEALS). Returns a
/// descriptor or -errno.
int belfry_memory_file(const char *name, uint64_t size);

/// The size of such a file, or -errno: -EPERM for one whose size may change.
int64_t belfry_memory_file_size(int fd);

#endif
