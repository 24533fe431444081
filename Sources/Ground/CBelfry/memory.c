// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "belfry_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

// Since Linux 6.3, and not in the C library of Debian 12.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum { FIXED_SIZE = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW };

_Static_assert(
    sizeof(struct mmsghdr) <= sizeof(((struct belfry_inflight_write *) 0)->message), "room for what the kernel needs");

ssize_t belfry_send_recorded(
    int fd, struct iovec *parts, size_t count, struct belfry_inflight_write *write, uint64_t slot,
    struct belfry_position before) {
    struct mmsghdr *message = (struct mmsghdr *) write->message;
    belfry_publish(&write->slot, 0);
    write->before = before;
    *message = (struct mmsghdr){.msg_hdr = {.msg_iov = parts, .msg_iovlen = count}};
    belfry_publish(&write->slot, slot);
    if (sendmmsg(fd, message, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return -1;
    return message->msg_len;
}

uint32_t belfry_inflight_bytes(const struct belfry_inflight_write *write) {
    return ((const struct mmsghdr *) write->message)->msg_len;
}

int belfry_memory_file(const char *name, uint64_t size) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL);
    if (fd < 0 && errno == EINVAL) fd = memfd_create(name, flags);
    if (fd < 0) return -errno;
    if (ftruncate(fd, (off_t) size) == 0 && fcntl(fd, F_ADD_SEALS, FIXED_SIZE) == 0) return fd;
    int r = -errno;
    close(fd);
    return r;
}

int64_t belfry_memory_file_size(int fd) {
    int seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0) return -errno;
    if ((seals & (F_SEAL_SHRINK | F_SEAL_GROW)) != (F_SEAL_SHRINK | F_SEAL_GROW)) return -EPERM;
    struct stat status;
    return fstat(fd, &status) < 0 ? -errno : status.st_size;
}
