// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// WriteLoop: the publisher greets it with one byte, it greets a subscriber with one, and a message is the payload alone.

#include "Protocol.h"

static void subscribe(int descriptor, int index) {
    (void)index;
    char greeting;
    receive_exactly(descriptor, &greeting, 1);
}

static void begin_publishing(int descriptor) { send_all(descriptor, "", 1); }

static void publish(struct Buffer *buffer, const char *payload, size_t count) { buffer_append(buffer, payload, count); }

const struct Protocol raw_protocol = {"raw", subscribe, begin_publishing, publish};
