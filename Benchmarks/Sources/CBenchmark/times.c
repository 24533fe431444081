// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int benchmark_keep_processor_awake(void) {
    pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) < 0) _exit(71);
    for (;;) {}
}

void benchmark_let_processor_sleep(int waker) {
    kill(waker, SIGKILL);
    waitpid(waker, NULL, 0);
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void benchmark_print_times(uint64_t *times, int count) {
    qsort(times, (size_t)count, sizeof *times, ascending);
    printf("{\"median_ns\": %lu, \"p99_ns\": %lu}\n", times[count / 2], times[count * 99 / 100]);
}
