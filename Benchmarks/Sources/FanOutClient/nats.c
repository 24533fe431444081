// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The NATS client protocol: lines of text.

#include "Protocol.h"

#include <stdio.h>

static void begin_publishing(int descriptor) {
    // The server sends INFO first. It replies PONG once it has read the lines before PING.
    skip_through(descriptor, '\n');
    send_text(descriptor, "CONNECT {\"verbose\":false}\r\nPING\r\n");
    skip_through(descriptor, '\n');
}

static void subscribe(int descriptor, int index) {
    (void)index;
    begin_publishing(descriptor);
    send_text(descriptor, "SUB benchmark 1\r\nPING\r\n");
    skip_through(descriptor, '\n');
}

static void publish(struct Buffer *buffer, const char *payload, size_t count) {
    char head[64];
    snprintf(head, sizeof head, "PUB benchmark %zu\r\n", count);
    buffer_append_text(buffer, head);
    buffer_append(buffer, payload, count);
    buffer_append_text(buffer, "\r\n");
}

const struct Protocol nats_protocol = {"nats", subscribe, begin_publishing, publish};
