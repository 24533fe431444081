// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Clients that send given bytes without regard for the service:
//
//   hostile_clients SOCKET FIRST LAST GROUP CONNECTIONS ROUNDS MODE FILE...
//
// Connects CONNECTIONS times to the socket SOCKET of the current folder, as the users FIRST to LAST in turn, with the
// supplementary group GROUP unless it is 0, and sends the FILEs in turn, one to each connection, ROUNDS times. MODE is made of
//
//   r  read the replies, and wait for one to each NUL that was sent
//   c  close and connect anew for each round
//   -  none of these
//
// Once everything is done, or nothing has moved for half a second, or a minute has passed, it prints what it did, as JSON,
// and keeps what is open until its standard input ends.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

struct payload {
    const char *bytes;
    size_t size;
    unsigned long calls;
};

struct client {
    int fd;
    uid_t uid;
    const struct payload *payload;
    size_t sent;
    unsigned long round, replies;
};

enum { IDLE = 500, LONGEST = 60 };

static const char *address;
static gid_t group;
static unsigned long rounds, connected, refused, closed, replies, errors;
static unsigned long long sent;
static int reads, churns, poller;

static void die(const char *what) {
    perror(what);
    exit(71);
}

static struct payload load(const char *path) {
    struct payload payload = {0};
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0) die(path);
    payload.size = (size_t) status.st_size;
    payload.bytes = mmap(NULL, payload.size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (payload.bytes == MAP_FAILED) die(path);
    for (size_t i = 0; i < payload.size; i++) payload.calls += payload.bytes[i] == 0;
    close(fd);
    return payload;
}

// The kernel notes the user at connect(2).
static void become(uid_t uid) {
    if (seteuid(0) < 0 || setgroups(group != 0, &group) < 0 || setegid(uid) < 0 || seteuid(uid) < 0) die("seteuid");
}

static void watch(struct client *c, int operation, uint32_t events) {
    struct epoll_event interest = {.events = events | (reads ? EPOLLIN : 0), .data.ptr = c};
    if (epoll_ctl(poller, operation, c->fd, &interest) < 0) die("epoll_ctl");
}

static void give_up(struct client *c) {
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
}

static void begin(struct client *c) {
    struct sockaddr_un peer = {.sun_family = AF_UNIX};
    struct timeval timeout = {.tv_sec = 20};
    strncpy(peer.sun_path, address, sizeof peer.sun_path - 1);
    c->sent = c->replies = 0;
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (c->fd < 0) die("socket");
    setsockopt(c->fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
    become(c->uid);
    if (connect(c->fd, (struct sockaddr *) &peer, sizeof peer) < 0) {
        refused++;
        return give_up(c);
    }
    connected++;
    fcntl(c->fd, F_SETFL, O_NONBLOCK);
    watch(c, EPOLL_CTL_ADD, EPOLLOUT);
}

// Whether anything has moved.
static int receive(struct client *c) {
    static char buffer[1 << 16];
    ssize_t n = recv(c->fd, buffer, sizeof buffer, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n <= 0) {
        closed++;
        give_up(c);
        return 1;
    }
    for (char *p = buffer; (p = memchr(p, 0, (size_t) (buffer + n - p))); p++) c->replies++, replies++;
    for (char *p = buffer; (p = memmem(p, (size_t) (buffer + n - p), "\"error\":", 8)); p += 8) errors++;
    return 1;
}

static int transmit(struct client *c) {
    size_t rest = c->payload->size - c->sent;
    ssize_t n = send(c->fd, c->payload->bytes + c->sent, rest < 65536 ? rest : 65536, MSG_NOSIGNAL);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (n < 0) {
        closed++;
        give_up(c);
        return 1;
    }
    c->sent += (size_t) n;
    sent += (unsigned long long) n;
    if (c->sent == c->payload->size) watch(c, EPOLL_CTL_MOD, 0);
    return 1;
}

// Once a round is over, begins the next one.
static void proceed(struct client *c) {
    if (c->fd < 0 || c->sent < c->payload->size) return;
    if (churns && reads && c->replies < c->payload->calls) return;
    if (c->round + 1 < rounds) {
        c->round++;
        if (churns) {
            give_up(c);
            begin(c);
        } else {
            c->sent = 0;
            watch(c, EPOLL_CTL_MOD, EPOLLOUT);
        }
    } else if (churns) {
        give_up(c);
    }
}

static int is_done(const struct client *c) {
    if (c->fd < 0) return 1;
    if (c->round + 1 < rounds || c->sent < c->payload->size) return 0;
    return !reads || c->replies >= c->payload->calls * (churns ? 1 : rounds);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double) time.tv_sec + (double) time.tv_nsec / 1e9;
}

static unsigned long open_clients(const struct client *clients, unsigned long count) {
    unsigned long open = 0;
    for (unsigned long i = 0; i < count; i++) open += clients[i].fd >= 0;
    return open;
}

int main(int argc, char **argv) {
    if (argc < 9) {
        fprintf(stderr, "usage: %s SOCKET FIRST LAST GROUP CONNECTIONS ROUNDS MODE FILE...\n", argv[0]);
        return 64;
    }
    uid_t first = (uid_t) atol(argv[2]), last = (uid_t) atol(argv[3]);
    unsigned long count = strtoul(argv[5], NULL, 10), files = (unsigned long) argc - 8;
    address = argv[1];
    group = (gid_t) atol(argv[4]);
    rounds = strtoul(argv[6], NULL, 10);
    reads = strchr(argv[7], 'r') != NULL;
    churns = strchr(argv[7], 'c') != NULL;
    struct rlimit descriptors = {65536, 65536};
    setrlimit(RLIMIT_NOFILE, &descriptors);
    signal(SIGPIPE, SIG_IGN);
    // A lower priority, because the test measures the service and not the scheduler.
    if (nice(10) < 0) die("nice");

    struct payload *payloads = calloc(files, sizeof *payloads);
    struct client *clients = calloc(count, sizeof *clients);
    for (unsigned long i = 0; i < files; i++) payloads[i] = load(argv[8 + i]);
    poller = epoll_create1(EPOLL_CLOEXEC);
    double start = now(), moved = start;
    for (unsigned long i = 0; i < count; i++) {
        clients[i].uid = first + (uid_t) (i % (last - first + 1));
        clients[i].payload = &payloads[i % files];
        begin(&clients[i]);
    }
    struct epoll_event events[256];
    for (;;) {
        int ready = epoll_wait(poller, events, 256, IDLE / 5);
        for (int i = 0; i < ready; i++) {
            struct client *c = events[i].data.ptr;
            int progress = 0;
            if (events[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) progress |= receive(c);
            if (c->fd >= 0 && (events[i].events & EPOLLOUT) && c->sent < c->payload->size) progress |= transmit(c);
            proceed(c);
            if (progress) moved = now();
        }
        int done = 1;
        if (ready > 0 && now() - start < LONGEST) continue;
        for (unsigned long i = 0; i < count && done; i++) done = is_done(&clients[i]);
        if (done || now() - moved > IDLE / 1000.0 || now() - start > LONGEST) break;
    }
    printf(
        "{\"connected\":%lu,\"refused\":%lu,\"closed\":%lu,\"open\":%lu,\"sent\":%llu,\"replies\":%lu,\"errors\":%lu,"
        "\"seconds\":%.3f}\n",
        connected, refused, closed, open_clients(clients, count), sent, replies, errors, now() - start);
    fflush(stdout);
    while (read(0, events, sizeof events) > 0) {}
    return 0;
}
