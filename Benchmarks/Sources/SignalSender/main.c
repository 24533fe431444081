// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: SignalSender listener COUNT PID PAGE [PID PAGE]...
//        SignalSender subscriber COUNT PID SOCKET REQUEST [PID SOCKET REQUEST]...
//        SignalSender burst PID PAGE
// Sends signals to receivers, and prints the results as JSON, one line for each receiver. The first two measure the time
// to the handler, which stores it in the page, and to the arrival of a message, which ends with a NUL, on the socket. The
// receivers take turns. A request that is not empty is sent to the socket first, and one reply to it is read.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_RECEIVERS = 8, WARM_UP = 50 };

struct Receiver {
    pid_t pid;
    BenchmarkPage *page;  // or
    int socket;
    uint64_t *times;
};

static _Noreturn void give_up(const char *what) {
    perror(what);
    exit(71);
}

static void pause_for(long nanoseconds) {
    struct timespec left = {.tv_nsec = nanoseconds};
    while (nanosleep(&left, &left) < 0 && errno == EINTR) {}
}

static BenchmarkPage *page_of_receiver(const char *path) {
    BenchmarkPage *page = benchmark_page_open(path, 0);
    while (!benchmark_page_is_ready(page)) pause_for(1000000);
    return page;
}

/// Reads a message and drops it.
static void read_message(int descriptor) {
    char buffer[4096];
    ssize_t count;
    do {
        count = recv(descriptor, buffer, sizeof buffer, 0);
        if (count <= 0) give_up("recv");
    } while (buffer[count - 1] != 0);
}

static int subscribe(const char *path, const char *request) {
    int descriptor = benchmark_connect(path);
    if (descriptor < 0) give_up(path);
    if (*request == 0) return descriptor;
    if (send(descriptor, request, strlen(request) + 1, MSG_NOSIGNAL) < 0) give_up("send");
    read_message(descriptor);
    return descriptor;
}

/// Keeps the processor from halting, with a process that gives way to every other: to wake a halted virtual processor
/// takes several times as long as what is measured, and depends on the machine.
static pid_t keep_processor_awake(void) {
    pid_t parent = getpid(), child = fork();
    if (child != 0) return child;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0}) < 0) _exit(71);
    for (;;) {}
}

/// Sends one signal, and returns the nanoseconds until the receiver got it.
static uint64_t measure(const struct Receiver *receiver) {
    // The receiver goes back to sleep meanwhile.
    pause_for(100000);
    uint32_t seen = receiver->page != NULL ? benchmark_page_count(receiver->page) : 0;
    uint64_t sent = benchmark_now();
    if (kill(receiver->pid, SIGUSR1) < 0) give_up("kill");
    if (receiver->page != NULL) return benchmark_page_wait(receiver->page, seen) - sent;
    read_message(receiver->socket);
    return benchmark_now() - sent;
}

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

static int measure_latency(int count, int receivers, int words, char **arguments) {
    struct Receiver all[MAX_RECEIVERS] = {0};
    for (int index = 0; index < receivers; index++, arguments += words) {
        all[index].pid = atoi(arguments[0]);
        all[index].times = calloc((size_t)count, sizeof(uint64_t));
        if (words == 2) all[index].page = page_of_receiver(arguments[1]);
        if (words == 3) all[index].socket = subscribe(arguments[1], arguments[2]);
    }
    pid_t waker = words == 3 ? keep_processor_awake() : 0;
    for (int round = -WARM_UP; round < count; round++) {
        for (int index = 0; index < receivers; index++) {
            uint64_t time = measure(&all[index]);
            if (round >= 0) all[index].times[round] = time;
        }
    }
    if (waker > 0) kill(waker, SIGKILL), waitpid(waker, NULL, 0);
    for (int index = 0; index < receivers; index++) {
        qsort(all[index].times, (size_t)count, sizeof(uint64_t), ascending);
        printf("{\"median_ns\": %lu}\n", all[index].times[count / 2]);
    }
    return 0;
}

/// Sends a thousand real-time signals, with values from 0 on, as fast as the kernel accepts them.
static int measure_burst(pid_t pid, const char *path) {
    BenchmarkPage *page = page_of_receiver(path);
    for (int value = 0; value < BENCHMARK_BURST; value++) {
        while (sigqueue(pid, SIGRTMIN + 5, (union sigval){.sival_int = value}) < 0) {
            if (errno != EAGAIN) give_up("sigqueue");
            pause_for(1000000);
        }
    }
    // Until all have arrived, or none for half a second.
    uint64_t count = 0;
    for (int quiet = 0; count < BENCHMARK_BURST && quiet < 100; quiet++) {
        pause_for(5000000);
        uint64_t now = benchmark_page_burst_count(page);
        if (now != count) quiet = 0;
        count = now;
    }
    printf("{\"arrived\": %lu, \"whole\": %lu}\n", count, benchmark_page_burst_whole(page, getpid()));
    return 0;
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "";
    if (argc == 4 && strcmp(mode, "burst") == 0) return measure_burst(atoi(argv[2]), argv[3]);
    int words = strcmp(mode, "listener") == 0 ? 2 : strcmp(mode, "subscriber") == 0 ? 3 : 0;
    if (words == 0 || argc < 3 + words || (argc - 3) % words != 0 || (argc - 3) / words > MAX_RECEIVERS) return 64;
    return measure_latency(atoi(argv[2]), (argc - 3) / words, words, argv + 3);
}
