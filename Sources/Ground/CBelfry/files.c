// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBelfry.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int belfry_syncfs(int fd) { return syncfs(fd) < 0 ? -errno : 0; }

static int64_t nanoseconds(const struct statx_timestamp *time) {
    int64_t sum;
    bool overflow = __builtin_mul_overflow(time->tv_sec, INT64_C(1000000000), &sum);
    overflow = overflow || __builtin_add_overflow(sum, (int64_t)time->tv_nsec, &sum);
    return !overflow ? sum : time->tv_sec < 0 ? INT64_MIN : INT64_MAX;
}

int belfry_status_at(int directory, const char *name, struct belfry_status *status) {
    struct statx x;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name[0] == 0 ? AT_EMPTY_PATH : 0);
    if (statx(directory, name, flags, STATX_BASIC_STATS | STATX_MNT_ID, &x) < 0) return -errno;
    bool mount_known = (x.stx_mask & STATX_MNT_ID) != 0;
    uint64_t device = makedev(x.stx_dev_major, x.stx_dev_minor);
    *status = (struct belfry_status) {
        .device = device,
        .inode = x.stx_ino,
        .space = x.stx_blocks * 512,
        .links = x.stx_nlink,
        .mode = x.stx_mode,
        .modified = nanoseconds(&x.stx_mtime),
        .accessed = nanoseconds(&x.stx_atime),
        .mount = mount_known ? x.stx_mnt_id : device,
    };
    return 0;
}

int belfry_is_mount_point(int directory) {
    struct belfry_status own, above;
    int result = belfry_status_at(directory, "", &own);
    if (result == 0) result = belfry_status_at(directory, "..", &above);
    if (result < 0) return result;
    return own.mount != above.mount && own.device != above.device;
}

int belfry_examine_file_system(int fd, struct belfry_file_system *found) {
    struct statvfs status;
    if (fstatvfs(fd, &status) < 0) return -errno;
    uint64_t available;
    if (__builtin_mul_overflow((uint64_t)status.f_bavail, (uint64_t)status.f_frsize, &available)) available = UINT64_MAX;
    *found = (struct belfry_file_system) {available, (status.f_flag & (ST_NOATIME | ST_RDONLY)) == 0};
    return 0;
}

int belfry_lease(int fd) {
    // The kernel announces those that wait with a signal, SIGIO unless told otherwise. This one has no effect by default. To the
    // process it would be one that a service may have mapped; F_SETLEASE keeps an owner that was set before.
    struct f_owner_ex thread = {.type = F_OWNER_TID, .pid = gettid()};
    if (fcntl(fd, F_SETSIG, SIGURG) < 0 || fcntl(fd, F_SETOWN_EX, &thread) < 0) return -errno;
    return fcntl(fd, F_SETLEASE, F_WRLCK) < 0 ? -errno : 0;
}
