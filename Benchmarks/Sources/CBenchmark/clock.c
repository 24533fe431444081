// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBenchmark.h"

#include <time.h>

static uint64_t nanoseconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t benchmark_now(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t benchmark_realtime(void) { return nanoseconds(CLOCK_REALTIME); }
