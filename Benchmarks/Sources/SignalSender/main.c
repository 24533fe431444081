// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: SignalSender latency COUNT PID PAGE [PID PAGE]...
//        SignalSender burst PID PAGE
// Sends signals to receivers that share a page with it, and prints what came of it as JSON, one line for each.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RECEIVERS = 8 };

static void pause_for(long nanoseconds) {
    struct timespec left = {.tv_nsec = nanoseconds};
    while (nanosleep(&left, &left) < 0 && errno == EINTR) {}
}

static void wait_until_ready(const BenchmarkPage *page) {
    while (!benchmark_page_is_ready(page)) pause_for(1000000);
}

/// One signal at a time, to each receiver in turn; before the next the receiver has time to go back to sleep.
static int measure_latency(int count, int receivers, char **arguments) {
    pid_t pids[MAX_RECEIVERS];
    BenchmarkPage *pages[MAX_RECEIVERS];
    uint64_t *times[MAX_RECEIVERS];
    for (int index = 0; index < receivers; index++) {
        pids[index] = atoi(arguments[2 * index]);
        pages[index] = benchmark_page_open(arguments[2 * index + 1], 0);
        times[index] = calloc((size_t)count, sizeof(uint64_t));
        wait_until_ready(pages[index]);
    }
    const int warm_up = 50;
    for (int round = -warm_up; round < count; round++) {
        for (int index = 0; index < receivers; index++) {
            uint32_t seen = benchmark_page_count(pages[index]);
            uint64_t sent = benchmark_now();
            if (kill(pids[index], SIGUSR1) < 0) {
                perror("kill");
                return 71;
            }
            benchmark_page_wait(pages[index], seen);
            pause_for(100000);
            if (round >= 0) times[index][round] = benchmark_page_time(pages[index]) - sent;
        }
    }
    for (int index = 0; index < receivers; index++) {
        benchmark_print_times(times[index], count);
    }
    return 0;
}

/// A thousand real-time signals as fast as the kernel queues them, with values from 0.
static int measure_burst(pid_t pid, const char *path) {
    BenchmarkPage *page = benchmark_page_open(path, 0);
    wait_until_ready(page);
    for (int value = 0; value < BENCHMARK_BURST; value++) {
        while (sigqueue(pid, SIGRTMIN + 5, (union sigval){.sival_int = value}) < 0) {
            if (errno != EAGAIN) {
                perror("sigqueue");
                return 71;
            }
            pause_for(1000000);
        }
    }
    // Until all have come, or none for half a second.
    uint64_t count = 0;
    for (int quiet = 0; count < BENCHMARK_BURST && quiet < 100; quiet++) {
        pause_for(5000000);
        uint64_t now = benchmark_page_burst_count(page);
        if (now != count) quiet = 0;
        count = now;
    }
    printf("{\"sent\": %d, \"arrived\": %lu, \"whole\": %lu}\n", BENCHMARK_BURST, count,
        benchmark_page_burst_whole(page, getpid()));
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 4 && strcmp(argv[1], "burst") == 0) return measure_burst(atoi(argv[2]), argv[3]);
    int receivers = (argc - 3) / 2;
    if (argc < 5 || argc % 2 == 0 || receivers > MAX_RECEIVERS || strcmp(argv[1], "latency") != 0) return 64;
    return measure_latency(atoi(argv[2]), receivers, argv + 3);
}
