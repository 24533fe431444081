// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Many subscribers that check everything: `subscribers ADDRESS COUNT [NAME]` subscribes, to NAME alone if it is given, says
// "ready N" with the number of the last notification before it, and checks every notification that each of them gets
// until the number that standard input says has come to all. Then it prints what was wrong, as JSON.

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
    int fd;
    unsigned long last, got;
    size_t pending;
    char *buffer;
};

enum { BUFFER = 64 << 10, SECONDS = 120 };

static const char *filter;
static unsigned long lost, doubled, ended, errors, target;
static int ready;

static void die(const char *what) {
    perror(what);
    exit(71);
}

static int subscribe(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *) &address, sizeof address) < 0) die("connect");
    char call[300];
    int length = snprintf(
        call, sizeof call, "{\"method\":\"io.belfry.Lifecycle.Subscribe\",\"more\":true,\"parameters\":{%s%s%s}}",
        filter ? "\"names\":[\"" : "", filter ? filter : "", filter ? "\"]" : "");
    if (write(fd, call, (size_t) length + 1) != length + 1) die("subscribe");
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
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
    if (s->last == 0) {
        ready++;
    } else {
        s->got++;
        if (number <= s->last) doubled++;
        if (number > s->last + 1 && !filter) lost += number - s->last - 1;
    }
    if (number > s->last) s->last = number;
}

static void serve(struct subscriber *s) {
    ssize_t n = read(s->fd, s->buffer + s->pending, BUFFER - s->pending);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (n <= 0) {
        ended++;
        close(s->fd);
        s->fd = -1;
        return;
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
    filter = argc > 3 ? argv[3] : NULL;
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){(rlim_t) count + 64, (rlim_t) count + 64});
    struct subscriber *all = calloc((size_t) count, sizeof *all);
    int poll = epoll_create1(EPOLL_CLOEXEC);
    if (!all || poll < 0) die("epoll");
    for (int i = 0; i < count; i++) {
        all[i] = (struct subscriber){.fd = subscribe(argv[1]), .buffer = malloc(BUFFER)};
        if (epoll_ctl(poll, EPOLL_CTL_ADD, all[i].fd, &(struct epoll_event){EPOLLIN, {.ptr = all + i}}) < 0) die("watch");
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
        for (int i = 0; target && i < count; i++) missing += all[i].fd >= 0 && all[i].last < target;
        if (time(NULL) > until || (target && !missing)) {
            unsigned long got = 0;
            for (int i = 0; i < count; i++) got += all[i].got;
            printf(
                "{\"lost\": %lu, \"doubled\": %lu, \"disconnected\": %lu, \"errors\": %lu, \"behind\": %d, \"got\": %lu}\n", lost,
                doubled, ended, errors, missing, got);
            return 0;
        }
    }
}
