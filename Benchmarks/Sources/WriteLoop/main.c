// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: WriteLoop SOCKET
// The limit of a fan-out: what the first client sends is written to all others, without a look at it.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SUBSCRIBERS = 4096 };

static int give_up(const char *what) {
    perror(what);
    return 71;
}

int main(int argc, char **argv) {
    static char bytes[1 << 17];
    static int subscribers[SUBSCRIBERS];
    if (argc != 2) return 64;
    int loop = epoll_create1(EPOLL_CLOEXEC), listener = benchmark_listen(argv[1]), publisher = -1, count = 0;
    struct epoll_event of_clients = {.events = EPOLLIN, .data.fd = listener};
    if (listener < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, listener, &of_clients) < 0) return give_up(argv[1]);
    for (;;) {
        struct epoll_event event;
        if (epoll_wait(loop, &event, 1, -1) != 1) continue;
        if (event.data.fd == publisher) {
            ssize_t size = read(publisher, bytes, sizeof bytes);
            if (size <= 0) return 0;
            for (int index = 0; index < count; index++)
                if (send(subscribers[index], bytes, (size_t)size, MSG_NOSIGNAL) != size) return give_up("send");
            continue;
        }
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0) continue;
        // A client that only looks whether the socket is there sends nothing and leaves.
        char greeting;
        if (publisher < 0 && read(client, &greeting, 1) <= 0) {
            close(client);
        } else if (publisher < 0) {
            publisher = client;
            struct epoll_event of_publisher = {.events = EPOLLIN, .data.fd = publisher};
            if (epoll_ctl(loop, EPOLL_CTL_ADD, publisher, &of_publisher) < 0) return give_up("epoll");
        } else if (count < SUBSCRIBERS && send(client, "", 1, MSG_NOSIGNAL) == 1) {
            subscribers[count++] = client;
        }
    }
}
