// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Many subscribers that check everything: `subscribers ADDRESS COUNT` subscribes, says "ready N" with the number of the last
// notification before it, and checks every notification that each of them gets until the number that standard input says has
// come to all. One whose connection ends connects again, and asks for what comes after the last number that it has seen. Then
// it prints what was wrong, as JSON.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct subscriber {
    int fd, has_state;
    unsigned long last, got;
    size_t pending;
    char *buffer;
};

enum { BUFFER = 64 << 10, SECONDS = 120 };

static unsigned long lost, doubled, errors, target;
static int ready, poll;
static const char *path;

static void die(const char *what) {
    perror(what);
    exit(71);
}

static void subscribe(struct subscriber *s) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0) die("socket");
    while (connect(s->fd, (struct sockaddr *) &address, sizeof address) < 0) {
        if (errno != ENOENT && errno != ECONNREFUSED) die("connect");
        usleep(10000);
    }
    char call[400], after[40] = "";
    if (s->last) snprintf(after, sizeof after, "\"after\":%lu", s->last);
    int length = snprintf(
        call, sizeof call, "{\"method\":\"io.belfry.Lifecycle.Subscribe\",\"more\":true,\"parameters\":{%s}}", after);
    // A service that ends meanwhile is noticed when the reply is read.
    if (send(s->fd, call, (size_t) length + 1, MSG_NOSIGNAL) != length + 1 && errno != EPIPE) die("subscribe");
    fcntl(s->fd, F_SETFL, O_NONBLOCK);
    s->has_state = 0;
    s->pending = 0;
    if (epoll_ctl(poll, EPOLL_CTL_ADD, s->fd, &(struct epoll_event){EPOLLIN, {.ptr = s}}) < 0) die("watch");
}

static void take(struct subscriber *s, const char *frame, size_t size) {
    static const char key[] = "\"sequence\":";
    const char *found = memmem(frame, size, key, sizeof key - 1);
    if (!found || memmem(frame, size, "\"error\":", 8)) {
        errors++;
        fprintf(stderr, "error: %.200s\n", frame);
        return;
    }
    unsigned long number = strtoul(found + sizeof key - 1, NULL, 10);
    if (!s->has_state) {
        s->has_state = 1;
        if (s->last) return;
        ready++;
    } else {
        s->got++;
        if (number <= s->last) doubled++;
        if (number > s->last + 1) lost += number - s->last - 1;
    }
    if (number > s->last) s->last = number;
}

static void serve(struct subscriber *s) {
    ssize_t n = read(s->fd, s->buffer + s->pending, BUFFER - s->pending);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        close(s->fd);
        return subscribe(s);
    }
    size_t end = s->pending + (size_t) n;
    char *frame = s->buffer, *nul;
    while ((nul = memchr(frame, 0, (size_t) (s->buffer + end - frame)))) {
        take(s, frame, (size_t) (nul - frame));
        frame = nul + 1;
    }
    s->pending = (size_t) (s->buffer + end - frame);
    memmove(s->buffer, frame, s->pending);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    int count = atoi(argv[2]);
    path = argv[1];
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t) count + 64, (rlim_t) count + 64});
    struct subscriber *all = calloc((size_t) count, sizeof *all);
    poll = epoll_create1(EPOLL_CLOEXEC);
    if (!all || poll < 0) die("epoll");
    for (int i = 0; i < count; i++) {
        all[i].buffer = malloc(BUFFER);
        subscribe(all + i);
    }
    epoll_ctl(poll, EPOLL_CTL_ADD, 0, &(struct epoll_event){EPOLLIN, {.ptr = NULL}});
    time_t until = time(NULL) + SECONDS;
    for (int reported = 0;;) {
        struct epoll_event events[256];
        int n = epoll_wait(poll, events, 256, 1000);
        for (int i = 0; i < n; i++) {
            char line[32] = "";
            if (events[i].data.ptr) {
                serve(events[i].data.ptr);
            } else if (read(0, line, sizeof line - 1) > 0) {
                target = strtoul(line, NULL, 10);
            } else if (target) {
                epoll_ctl(poll, EPOLL_CTL_DEL, 0, NULL);
            } else {
                return 1;
            }
        }
        if (!reported && ready == count) {
            reported = printf("ready %lu\n", all[0].last);
            fflush(stdout);
        }
        int missing = 0;
        for (int i = 0; target && i < count; i++) missing += all[i].last < target;
        if (time(NULL) > until || (target && !missing)) {
            unsigned long got = 0;
            for (int i = 0; i < count; i++) got += all[i].got;
            printf(
                "{\"lost\": %lu, \"doubled\": %lu, \"errors\": %lu, \"behind\": %d, \"got\": %lu}\n", lost, doubled, errors,
                missing, got);
            return 0;
        }
    }
}
