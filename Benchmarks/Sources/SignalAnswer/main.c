// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: SignalAnswer SOCKET
// The least that a C service does to tell another program of a signal: epoll, signalfd, read, write.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int give_up(const char *what) {
    perror(what);
    return 71;
}

int main(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (argc != 2 || strlen(argv[1]) >= sizeof address.sun_path) return 64;
    strcpy(address.sun_path, argv[1]);
    int signals = benchmark_signal_descriptor();
    int loop = epoll_create1(EPOLL_CLOEXEC);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 8) < 0)
        return give_up("listen");
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
            // One at a time; the last one counts.
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
