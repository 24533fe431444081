// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// D-Bus, little-endian: chapters "Authentication Protocol" and "Message Protocol" of its specification.

#include "Protocol.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CALL = 1, REPLY = 2, SIGNAL = 4, NO_REPLY = 1 };
enum { PATH = 1, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE };

static void align(struct Buffer *buffer, size_t start, size_t to) {
    while ((buffer->count - start) % to != 0) buffer_append(buffer, "", 1);
}

static void append_number(struct Buffer *buffer, uint32_t number) { buffer_append(buffer, &number, 4); }

static void append_string(struct Buffer *buffer, const char *text, size_t count) {
    append_number(buffer, (uint32_t)count);
    buffer_append(buffer, text, count);
    buffer_append(buffer, "", 1);
}

static void append_field(struct Buffer *buffer, size_t start, char code, char type, const char *text) {
    if (text == NULL) return;
    align(buffer, start, 8);
    buffer_append(buffer, (char[]){code, 1, type, 0}, 4);
    if (type != 'g') return append_string(buffer, text, strlen(text));
    buffer_append(buffer, (char[]){(char)strlen(text)}, 1);
    buffer_append(buffer, text, strlen(text) + 1);
}

/// A message with one string as its body, or without a body.
static void append_message(
    struct Buffer *buffer, char type, char flags, const char *destination, const char *path, const char *interface,
    const char *member, const char *text, size_t count
) {
    size_t start = buffer->count;
    buffer_append(buffer, (char[]){'l', type, flags, 1}, 4);
    append_number(buffer, text == NULL ? 0 : (uint32_t)(4 + count + 1));
    append_number(buffer, 1);
    append_number(buffer, 0);
    size_t fields = buffer->count;
    append_field(buffer, start, PATH, 'o', path);
    append_field(buffer, start, INTERFACE, 's', interface);
    append_field(buffer, start, MEMBER, 's', member);
    append_field(buffer, start, DESTINATION, 's', destination);
    append_field(buffer, start, SIGNATURE, 'g', text == NULL ? NULL : "s");
    uint32_t size = (uint32_t)(buffer->count - fields);
    memcpy(buffer->bytes + fields - 4, &size, 4);
    align(buffer, start, 8);
    if (text != NULL) append_string(buffer, text, count);
}

/// Calls a method of the bus and waits for the reply. Signals that arrive first are dropped.
static void call_bus(int descriptor, const char *member, const char *text) {
    struct Buffer buffer = {0};
    static const char bus[] = "org.freedesktop.DBus";
    append_message(&buffer, CALL, 0, bus, "/org/freedesktop/DBus", bus, member, text, text ? strlen(text) : 0);
    send_all(descriptor, buffer.bytes, buffer.count);
    unsigned char head[16];
    char rest[4096];
    do {
        uint32_t body, fields;
        receive_exactly(descriptor, head, sizeof head);
        memcpy(&body, head + 4, 4);
        memcpy(&fields, head + 12, 4);
        size_t count = (fields + 7) / 8 * 8 + body;
        if (count > sizeof rest) give_up("read a message as long as that");
        receive_exactly(descriptor, rest, count);
    } while (head[1] == SIGNAL);
    if (head[1] != REPLY) give_up("call the bus");
}

static void connect_to_bus(int descriptor) {
    char uid[16], line[64] = "AUTH EXTERNAL ";
    snprintf(uid, sizeof uid, "%u", geteuid());
    for (char *digit = uid; *digit; digit++) snprintf(line + strlen(line), 3, "%02x", *digit);
    send_all(descriptor, "", 1);
    send_text(descriptor, strcat(line, "\r\n"));
    skip_through(descriptor, '\n');
    send_text(descriptor, "BEGIN\r\n");
    call_bus(descriptor, "Hello", NULL);
}

static void subscribe(int descriptor, int index) {
    (void)index;
    connect_to_bus(descriptor);
    call_bus(descriptor, "AddMatch", "type='signal',interface='io.belfry.Benchmark'");
}

static void publish(struct Buffer *buffer, const char *payload, size_t count) {
    append_message(buffer, SIGNAL, NO_REPLY, NULL, "/", "io.belfry.Benchmark", "Posted", payload, count);
}

const struct Protocol dbus_protocol = {"dbus", subscribe, connect_to_bus, publish};
