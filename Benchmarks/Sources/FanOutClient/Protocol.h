// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

#include <stddef.h>

/// Each payload has this byte once, and nothing else on the wire has it: so deliveries are counted alike for all.
enum { MARK = '~' };

/// Bytes that grow.
struct Buffer {
    char *bytes;
    size_t count, capacity;
};

void buffer_append(struct Buffer *buffer, const void *bytes, size_t count);
void buffer_append_text(struct Buffer *buffer, const char *text);

/// What is said to one kind of server, on a connected socket that blocks.
struct Protocol {
    const char *name;
    /// Subscribes, and returns when the server has confirmed it.
    void (*subscribe)(int descriptor, int index);
    /// Makes ready to publish. No answers are wanted from then on.
    void (*begin_publishing)(int descriptor);
    /// Appends one message of publishing the payload.
    void (*publish)(struct Buffer *buffer, const char *payload, size_t count);
};

extern const struct Protocol varlink_protocol, redis_protocol, mqtt_protocol, dbus_protocol;

/// Writes all of it. Ends the process when it cannot, as the next two do.
void send_all(int descriptor, const void *bytes, size_t count);
void send_text(int descriptor, const char *text);
/// Reads exactly so many bytes.
void receive_exactly(int descriptor, void *bytes, size_t count);
/// Reads until this byte, and drops it all.
void skip_through(int descriptor, char byte);
/// Ends the process with a message.
_Noreturn void give_up(const char *what);
