// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Memory that outlives the process, and what is noted in it while a socket is written to.

#ifndef BELFRY_MEMORY_H
#define BELFRY_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// How far the stream to a client has been written: `own` bytes that have no number come first, then message `next`,
/// of which `written` bytes have gone.
struct belfry_progress {
    uint64_t next;
    uint32_t written;
    uint32_t own;
};

/// The write that is on its way, and what the kernel has taken of it: `entry`, unless it is 0, has come as far as
/// `before` and the result of `message` together say. True at any moment, that of the process's death included.
struct belfry_flight {
    uint64_t entry;
    struct belfry_progress before;
    uint64_t message[8]; // struct mmsghdr
};

/// Writes to a stream socket without waiting (sendmmsg(2)), on behalf of `entry`. The kernel itself puts the number of
/// bytes that it took into `flight`, before the call returns: what is noted there is exact even if the process is
/// killed within the call. Returns that number, or -1 with errno set.
ssize_t belfry_send_noted(
    int fd, struct iovec *parts, size_t count, struct belfry_flight *flight, uint64_t entry,
    struct belfry_progress before);

/// How many bytes the kernel took in the last such write.
uint32_t belfry_flight_bytes(const struct belfry_flight *flight);

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
