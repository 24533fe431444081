// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: SignalSubscriber COUNT PID SOCKET REQUEST [PID SOCKET REQUEST]...
// Connects to services, sends each its request, if it is not empty, and takes one answer to it. Then sends a signal to one
// service after the other, reads until a message has come, and prints how long that took as JSON, one line for each.
// A message ends with a NUL.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SERVICES = 4 };

static _Noreturn void give_up(const char *what) {
    perror(what);
    exit(71);
}

/// Reads one message, of which nothing is kept.
static void read_message(int descriptor) {
    char buffer[4096];
    for (;;) {
        ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
        if (count <= 0) give_up("recv");
        if (buffer[count - 1] == 0) return;
    }
}

int main(int argc, char **argv) {
    int count = argc > 1 ? atoi(argv[1]) : 0, services = (argc - 2) / 3;
    if (count < 1 || services < 1 || services > MAX_SERVICES || argc != 2 + 3 * services) return 64;
    pid_t pids[MAX_SERVICES];
    int sockets[MAX_SERVICES];
    uint64_t *times[MAX_SERVICES];
    for (int index = 0; index < services; index++) {
        char **arguments = argv + 2 + 3 * index;
        pids[index] = atoi(arguments[0]);
        sockets[index] = benchmark_connect(arguments[1]);
        if (sockets[index] < 0) give_up(arguments[1]);
        times[index] = calloc((size_t)count, sizeof(uint64_t));
        const char *request = arguments[2];
        if (*request == 0) continue;
        if (send(sockets[index], request, strlen(request) + 1, MSG_NOSIGNAL) < 0) give_up("send");
        read_message(sockets[index]);
    }
    pid_t waker = benchmark_keep_processor_awake();
    const int warm_up = 50;
    for (int round = -warm_up; round < count; round++) {
        for (int index = 0; index < services; index++) {
            // Until the service waits again.
            nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
            uint64_t sent = benchmark_now();
            if (kill(pids[index], SIGUSR1) < 0) give_up("kill");
            read_message(sockets[index]);
            if (round >= 0) times[index][round] = benchmark_now() - sent;
        }
    }
    benchmark_let_processor_sleep(waker);
    for (int index = 0; index < services; index++) {
        benchmark_print_times(times[index], count);
    }
    return 0;
}
