// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "Protocol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void give_up(const char *what) {
    fprintf(stderr, "unable to %s: %s\n", what, strerror(errno));
    exit(71);
}

void buffer_append(struct Buffer *buffer, const void *bytes, size_t count) {
    if (buffer->count + count > buffer->capacity) {
        buffer->capacity = 2 * (buffer->count + count);
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (buffer->bytes == NULL) give_up("allocate");
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

void buffer_append_text(struct Buffer *buffer, const char *text) { buffer_append(buffer, text, strlen(text)); }

void send_all(int descriptor, const void *bytes, size_t count) {
    const char *next = bytes;
    while (count > 0) {
        ssize_t written = write(descriptor, next, count);
        if (written < 0 && errno != EINTR) give_up("write to the server");
        if (written > 0) next += written, count -= (size_t)written;
    }
}

void send_text(int descriptor, const char *text) { send_all(descriptor, text, strlen(text)); }

void receive_exactly(int descriptor, void *bytes, size_t count) {
    char *next = bytes;
    while (count > 0) {
        ssize_t taken = read(descriptor, next, count);
        if (taken == 0) errno = ECONNRESET;
        if (taken == 0 || (taken < 0 && errno != EINTR)) give_up("read from the server");
        if (taken > 0) next += taken, count -= (size_t)taken;
    }
}

void skip_through(int descriptor, char byte) {
    char taken;
    do receive_exactly(descriptor, &taken, 1); while (taken != byte);
}
