// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: SignalLoop PAGE
// The smallest C service that handles a signal: epoll, signalfd, read.

#include "CBenchmark.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    BenchmarkPage *page = benchmark_page_open(argv[1], 1);
    int signals = benchmark_signal_descriptor();
    int loop = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN};
    if (signals < 0 || loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, signals, &event) < 0) {
        perror("signalfd");
        return 71;
    }
    benchmark_page_set_ready(page);
    for (;;) {
        struct signalfd_siginfo info;
        if (epoll_wait(loop, &event, 1, -1) == 1)
            while (read(signals, &info, sizeof info) == sizeof info) benchmark_page_note(page);
    }
}
