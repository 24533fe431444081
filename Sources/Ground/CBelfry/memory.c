// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "belfry_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// Since Linux 6.3, and not in the C library of Debian 12.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

enum { FIXED_SIZE = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW };

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
