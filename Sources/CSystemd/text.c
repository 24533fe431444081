// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "belfry_text.h"

enum { MAXIMUM_DEPTH = 32, MAXIMUM_DIGITS = 18 };

static const uint8_t *plain_value(const uint8_t *next, const uint8_t *end, int depth);

/// Each of these answers where what begins at `next` ends, or NULL.
static const uint8_t *plain_string(const uint8_t *next, const uint8_t *end) {
    if (next == end || *next++ != '"') return NULL;
    bool ascii;
    next += belfry_plain_length(next, (size_t)(end - next), &ascii);
    return ascii && next < end && *next == '"' ? next + 1 : NULL;
}

static const uint8_t *plain_number(const uint8_t *next, const uint8_t *end) {
    const bool negative = *next == '-';
    if (negative) next++;
    const uint8_t *first = next;
    while (next < end && *next >= '0' && *next <= '9') next++;
    if (next == first || next - first > MAXIMUM_DIGITS) return NULL;
    if (*first == '0' && (negative || next - first > 1)) return NULL;
    // A fraction or an exponent may be written in many ways.
    return next < end && (*next == '.' || *next == 'e' || *next == 'E') ? NULL : next;
}

static const uint8_t *plain_word(const uint8_t *next, const uint8_t *end, const char *word) {
    const size_t length = strlen(word);
    return (size_t)(end - next) >= length && memcmp(next, word, length) == 0 ? next + length : NULL;
}

/// Whether the first of two names comes before the second; both end with their quotation marks.
static bool is_before(const uint8_t *first, size_t length, const uint8_t *second, size_t other) {
    const int order = memcmp(first, second, length < other ? length : other);
    return order < 0 || (order == 0 && length < other);
}

static const uint8_t *plain_object(const uint8_t *next, const uint8_t *end, int depth) {
    if (next == end || *next++ != '{' || depth > MAXIMUM_DEPTH) return NULL;
    if (next < end && *next == '}') return next + 1;
    const uint8_t *name = NULL;
    size_t length = 0;
    for (;;) {
        const uint8_t *start = next + 1;
        if ((next = plain_string(next, end)) == NULL) return NULL;
        const size_t own = (size_t)(next - start) - 1;
        if (name != NULL && !is_before(name, length, start, own)) return NULL;
        name = start;
        length = own;
        if (next == end || *next++ != ':') return NULL;
        if ((next = plain_value(next, end, depth)) == NULL || next == end) return NULL;
        if (*next == '}') return next + 1;
        if (*next++ != ',') return NULL;
    }
}

static const uint8_t *plain_array(const uint8_t *next, const uint8_t *end, int depth) {
    if (depth > MAXIMUM_DEPTH) return NULL;
    next++;
    if (next < end && *next == ']') return next + 1;
    for (;;) {
        if ((next = plain_value(next, end, depth)) == NULL || next == end) return NULL;
        if (*next == ']') return next + 1;
        if (*next++ != ',') return NULL;
    }
}

static const uint8_t *plain_value(const uint8_t *next, const uint8_t *end, int depth) {
    if (next == end) return NULL;
    switch (*next) {
    case '"': return plain_string(next, end);
    case '{': return plain_object(next, end, depth + 1);
    case '[': return plain_array(next, end, depth + 1);
    case 't': return plain_word(next, end, "true");
    case 'f': return plain_word(next, end, "false");
    case 'n': return plain_word(next, end, "null");
    default: return plain_number(next, end);
    }
}

size_t belfry_plain_object_length(const uint8_t *bytes, size_t count) {
    const uint8_t *end = plain_object(bytes, bytes + count, 1);
    return end == NULL ? 0 : (size_t)(end - bytes);
}
