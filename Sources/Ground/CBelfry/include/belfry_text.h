// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Looking through text many bytes at a time: comparisons of Swift's own vectors are not made vector instructions.

#ifndef BELFRY_TEXT_H
#define BELFRY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline bool belfry_is_plain(uint8_t byte) { return byte >= 0x20 && byte != '"' && byte != '\\'; }

/// How many bytes come before the first that a JSON string cannot hold as it is (RFC 8259, section 7): a quotation mark, a
/// backslash or a control character. `ascii` tells whether all of them are ASCII.
static inline size_t belfry_plain_length(const uint8_t *bytes, size_t count, bool *ascii) {
    typedef uint8_t chunk __attribute__((vector_size(16)));
    typedef uint64_t halves __attribute__((vector_size(16)));
    size_t place = 0;
    uint64_t seen = 0;
    for (chunk next; count - place >= sizeof next; place += sizeof next) {
        memcpy(&next, bytes + place, sizeof next);
        halves special = (halves)((next < 0x20) | (next == '"') | (next == '\\'));
        halves all = (halves)next;
        if ((special[0] | special[1]) != 0) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            // The first byte that is special is the lowest of those that are not 0.
            bool first = special[0] != 0;
            unsigned bits = (unsigned)__builtin_ctzll(first ? special[0] : special[1]) & ~7u;
            uint64_t before = (1ull << bits) - 1;
            seen |= first ? all[0] & before : all[0] | (all[1] & before);
            *ascii = (seen & 0x8080808080808080) == 0;
            return place + (first ? 0 : 8) + bits / 8;
#else
            break;
#endif
        }
        seen |= all[0] | all[1];
    }
    uint8_t rest = 0;
    for (; place < count && belfry_is_plain(bytes[place]); place++) rest |= bytes[place];
    *ascii = ((seen | (rest & 0x80)) & 0x8080808080808080) == 0;
    return place;
}

#endif
