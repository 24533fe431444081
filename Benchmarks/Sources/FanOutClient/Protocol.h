// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

#include <stddef.h>

/// Each payload contains this byte once, and no other part of a message does, so deliveries are counted without parsing.
enum { MARK = '~' };

/// A buffer that grows.
struct Buffer {
    char *bytes;
    size_t count, capacity;
};

void buffer_append(struct Buffer *buffer, const void *bytes, size_t count);
void buffer_append_text(struct Buffer *buffer, const char *text);

/// The protocol of a server. Its functions get a connected, blocking socket.
struct Protocol {
    const char *name;
    /// Subscribes, and waits for the confirmation. `index` is a different number for each subscriber.
    void (*subscribe)(int descriptor, int index);
    /// Prepares to publish. The server must send no replies afterwards.
    void (*begin_publishing)(int descriptor);
    /// Appends one message that publishes the payload.
    void (*publish)(struct Buffer *buffer, const char *payload, size_t count);
};

extern const struct Protocol varlink_protocol, redis_protocol, nats_protocol, mqtt_protocol, dbus_protocol,
    raw_protocol;

/// Writes all bytes. On an error this and the following functions exit.
void send_all(int descriptor, const void *bytes, size_t count);
void send_text(int descriptor, const char *text);
/// Reads exactly `count` bytes.
void receive_exactly(int descriptor, void *bytes, size_t count);
/// Reads and drops everything up to this byte.
void skip_through(int descriptor, char byte);
/// Prints `unable to <what>: <errno>` and exits.
_Noreturn void give_up(const char *what);
