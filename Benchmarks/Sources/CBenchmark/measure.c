// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBenchmark.h"

#include <time.h>

uint64_t benchmark_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static long calls;

void benchmark_call(void) { calls++; }

long benchmark_take_calls(void) {
    long taken = calls;
    calls = 0;
    return taken;
}
