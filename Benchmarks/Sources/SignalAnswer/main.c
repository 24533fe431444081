// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: SignalAnswer SOCKET
// The smallest C service that reports a signal to a client: epoll, signalfd, read, send.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int give_up(const char *what) {
    perror(what);
    return 71;
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    int signals = benchmark_signal_descriptor();
    int loop = epoll_create1(EPOLL_CLOEXEC);
    int listener = benchmark_listen(argv[1]);
    if (listener < 0) return give_up(argv[1]);
    struct epoll_event of_signals = {.events = EPOLLIN, .data.fd = signals};
    struct epoll_event of_clients = {.events = EPOLLIN, .data.fd = listener};
    if (signals < 0 || loop < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, signals, &of_signals) < 0 ||
        epoll_ctl(loop, EPOLL_CTL_ADD, listener, &of_clients) < 0)
        return give_up("epoll");
    int client = -1;
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(loop, &event, 1, -1) != 1) continue;
        if (event.data.fd == listener) {
            // The last client replaces the one before.
            if (client >= 0) close(client);
            client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            continue;
        }
        struct signalfd_siginfo info;
        while (read(signals, &info, sizeof info) == sizeof info) {
            static const char answer[] = "SIGUSR1";
            if (send(client, answer, sizeof answer, MSG_NOSIGNAL) < 0) perror("send");
        }
    }
}
