// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBelfry.h"

#include <errno.h>
#include <sys/resource.h>

int belfry_raise_descriptor_limit(uint64_t wanted, struct belfry_descriptor_limits *limits) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    limits->original = limits->now = limit.rlim_cur;
    if (limit.rlim_cur >= wanted || limit.rlim_cur >= limit.rlim_max) return 0;
    limit.rlim_cur = wanted < limit.rlim_max ? wanted : limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) < 0) return -errno;
    limits->now = limit.rlim_cur;
    return 0;
}

int belfry_set_descriptor_limit(pid_t pid, uint64_t soft) {
    struct rlimit limit;
    if (prlimit(pid, RLIMIT_NOFILE, NULL, &limit) < 0) return -errno;
    limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
    return prlimit(pid, RLIMIT_NOFILE, &limit, NULL) < 0 ? -errno : 0;
}
