// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Memory that outlives the process, and what is recorded in it while a socket is written to.

#ifndef BELFRY_MEMORY_H
#define BELFRY_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

/// How far the stream to a client has been written: the client has `bytes` bytes of message `number`, and every message
/// before it.
struct belfry_position {
    uint64_t number;
    uint64_t bytes;
};

/// An in-flight write: the client of `slot`, unless that is 0, was at `before`, and the kernel has taken as many bytes
/// since as the result in `message` says. This is true at any moment, also when the process is killed.
struct belfry_inflight_write {
    uint64_t slot;
    struct belfry_position before;
    uint64_t message[8]; // struct mmsghdr
};

/// Writes to the stream socket of `slot` without waiting (sendmmsg(2)). The kernel itself stores the number of bytes that
/// it took in `write` before the call returns, so that the number is exact even if the process is killed within the call.
/// Returns that number, or -1 with errno set.
ssize_t belfry_send_recorded(
    int fd, struct iovec *parts, size_t count, struct belfry_inflight_write *write, uint64_t slot,
    struct belfry_position before);

/// How many bytes the kernel took in the last such write.
uint32_t belfry_inflight_bytes(const struct belfry_inflight_write *write);

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
