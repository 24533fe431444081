// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBenchmark.h"

static long calls;

void benchmark_call(void) { calls++; }

long benchmark_take_calls(void) {
    long taken = calls;
    calls = 0;
    return taken;
}
