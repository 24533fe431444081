// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: FanOutClient PROTOCOL ADDRESS SUBSCRIBERS MESSAGES BATCH SIZE PID
// Connects SUBSCRIBERS times to the server PID, at a path or a TCP port of loopback. Publishes MESSAGES messages of SIZE
// bytes, BATCH at once, and waits after each batch until every subscriber has it. Prints the cost to the server as JSON.

#include "CBenchmark.h"
#include "Protocol.h"

#include <dirent.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HISTORY = 1200 };

static int connect_to(const char *path) {
    int descriptor = benchmark_connect(path);
    if (descriptor < 0) give_up("connect");
    return descriptor;
}

/// Processor time of all threads of a process, in nanoseconds (proc(5), schedstat).
static uint64_t cpu_time(int pid) {
    char path[300];
    snprintf(path, sizeof path, "/proc/%d/task", pid);
    DIR *threads = opendir(path);
    if (threads == NULL) give_up("look at the server");
    uint64_t sum = 0;
    for (struct dirent *thread; (thread = readdir(threads)) != NULL;) {
        if (thread->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, thread->d_name);
        FILE *file = fopen(path, "r");
        uint64_t time = 0;
        if (file != NULL && fscanf(file, "%lu", &time) == 1) sum += time;
        if (file != NULL) fclose(file);
    }
    closedir(threads);
    return sum;
}

/// Anonymous resident memory of a process, in KiB (RssAnon).
static long memory(int pid) {
    char path[64], line[256];
    long kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%d/status", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL) give_up("look at the server");
    while (fgets(line, sizeof line, file) != NULL) sscanf(line, "RssAnon: %ld", &kilobytes);
    fclose(file);
    return kilobytes;
}

static long marks(const char *bytes, size_t count) {
    long found = 0;
    const char *end = bytes + count;
    while ((bytes = memchr(bytes, MARK, (size_t)(end - bytes))) != NULL) found++, bytes++;
    return found;
}

/// Reads until this many deliveries have arrived.
static void collect(int loop, long deliveries) {
    static char bytes[1 << 18];
    struct epoll_event events[256];
    while (deliveries > 0) {
        int ready = epoll_wait(loop, events, 256, 10000);
        if (ready == 0) errno = ETIMEDOUT;
        if (ready <= 0) give_up("get all deliveries");
        for (int index = 0; index < ready; index++) {
            ssize_t count = recv(events[index].data.fd, bytes, sizeof bytes, MSG_DONTWAIT);
            if (count == 0) give_up("stay connected");
            if (count > 0) deliveries -= marks(bytes, (size_t)count);
        }
    }
    if (deliveries < 0) give_up("get each delivery once");
}

static const struct Protocol *protocol_named(const char *name) {
    const struct Protocol *all[] = {&varlink_protocol, &redis_protocol, &nats_protocol, &mqtt_protocol, &dbus_protocol,
        &raw_protocol};
    for (size_t index = 0; index < sizeof all / sizeof *all; index++)
        if (strcmp(all[index]->name, name) == 0) return all[index];
    fprintf(stderr, "unknown protocol '%s'\n", name);
    exit(64);
}

int main(int argc, char **argv) {
    if (argc != 8) return 64;
    const struct Protocol *protocol = protocol_named(argv[1]);
    int subscribers = atoi(argv[3]), messages = atoi(argv[4]), batch = atoi(argv[5]), pid = atoi(argv[7]);
    size_t size = (size_t)atoi(argv[6]);

    char *payload = malloc(size);
    if (payload == NULL || size == 0) give_up("allocate");
    memset(payload, 'x', size);
    payload[0] = MARK;
    struct Buffer buffer = {0};
    for (int index = 0; index < batch; index++) protocol->publish(&buffer, payload, size);

    int publisher = connect_to(argv[2]);
    protocol->begin_publishing(publisher);
    int loop = epoll_create1(EPOLL_CLOEXEC);
    long before = 0;
    for (int index = 0; index < subscribers; index++) {
        int descriptor = connect_to(argv[2]);
        protocol->subscribe(descriptor, index);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
        if (epoll_ctl(loop, EPOLL_CTL_ADD, descriptor, &event) < 0) give_up("watch a subscriber");
        if (index > 0) continue;
        // Fill the history of the server, whose memory does not depend on the number of subscribers.
        for (int sent = 0; sent < HISTORY; sent += batch) {
            send_all(publisher, buffer.bytes, buffer.count);
            collect(loop, batch);
        }
        before = memory(pid);
    }

    uint64_t cpu = 0;
    for (int sent = -2 * batch; sent < messages; sent += batch) {
        if (sent == 0) cpu = cpu_time(pid);
        send_all(publisher, buffer.bytes, buffer.count);
        collect(loop, (long)batch * subscribers);
    }
    double deliveries = (double)messages * subscribers;
    printf("{\"microseconds\": %f, \"bytes_per_subscriber\": %ld}\n", (double)(cpu_time(pid) - cpu) / deliveries / 1000,
        subscribers > 1 ? (memory(pid) - before) * 1024 / (subscribers - 1) : 0);
    return 0;
}
