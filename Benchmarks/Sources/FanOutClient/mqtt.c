// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// MQTT 3.1.1, quality of service 0.

#include "Protocol.h"

#include <stdio.h>
#include <string.h>

static const char topic[] = "benchmark";
enum { TOPIC = sizeof topic - 1 };

static void append_packet(struct Buffer *buffer, unsigned char type, size_t count) {
    char head[5] = {(char)type};
    size_t size = 1;
    do {
        head[size++] = (char)((count & 0x7f) | (count > 0x7f ? 0x80 : 0));
        count >>= 7;
    } while (count > 0);
    buffer_append(buffer, head, size);
}

static void append_string(struct Buffer *buffer, const char *text) {
    size_t count = strlen(text);
    buffer_append(buffer, (char[]){(char)(count >> 8), (char)count}, 2);
    buffer_append(buffer, text, count);
}

static void connect_as(int descriptor, const char *client) {
    struct Buffer buffer = {0};
    append_packet(&buffer, 0x10, 10 + 2 + strlen(client));
    append_string(&buffer, "MQTT");
    buffer_append(&buffer, (char[]){4, 2, 0, 0}, 4);  // version 3.1.1, clean session, no keep-alive
    append_string(&buffer, client);
    send_all(descriptor, buffer.bytes, buffer.count);
    char answer[4];
    receive_exactly(descriptor, answer, sizeof answer);
    if (answer[3] != 0) give_up("connect to the broker");
}

static void subscribe(int descriptor, int index) {
    char client[32];
    snprintf(client, sizeof client, "subscriber%d", index);
    connect_as(descriptor, client);
    struct Buffer buffer = {0};
    append_packet(&buffer, 0x82, 2 + 2 + TOPIC + 1);
    buffer_append(&buffer, (char[]){0, 1}, 2);
    append_string(&buffer, topic);
    buffer_append(&buffer, (char[]){0}, 1);
    send_all(descriptor, buffer.bytes, buffer.count);
    char answer[5];
    receive_exactly(descriptor, answer, sizeof answer);
}

static void begin_publishing(int descriptor) { connect_as(descriptor, "publisher"); }

static void publish(struct Buffer *buffer, const char *payload, size_t count) {
    append_packet(buffer, 0x30, 2 + TOPIC + count);
    append_string(buffer, topic);
    buffer_append(buffer, payload, count);
}

const struct Protocol mqtt_protocol = {"mqtt", subscribe, begin_publishing, publish};
