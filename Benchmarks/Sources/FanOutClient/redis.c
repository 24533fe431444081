// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "Protocol.h"

#include <stdio.h>

static void subscribe(int descriptor, int index) {
    (void)index;
    static const char answer[] = "*3\r\n$9\r\nsubscribe\r\n$9\r\nbenchmark\r\n:1\r\n";
    char taken[sizeof answer - 1];
    send_text(descriptor, "*2\r\n$9\r\nSUBSCRIBE\r\n$9\r\nbenchmark\r\n");
    receive_exactly(descriptor, taken, sizeof taken);
}

static void begin_publishing(int descriptor) {
    send_text(descriptor, "*3\r\n$6\r\nCLIENT\r\n$5\r\nREPLY\r\n$3\r\nOFF\r\n");
}

static void publish(struct Buffer *buffer, const char *payload, size_t count) {
    char head[64];
    snprintf(head, sizeof head, "*3\r\n$7\r\nPUBLISH\r\n$9\r\nbenchmark\r\n$%zu\r\n", count);
    buffer_append_text(buffer, head);
    buffer_append(buffer, payload, count);
    buffer_append_text(buffer, "\r\n");
}

const struct Protocol redis_protocol = {"redis", subscribe, begin_publishing, publish};
