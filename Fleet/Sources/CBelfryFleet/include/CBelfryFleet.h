// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// libmosquitto (libmosquitto(3)) with one call that is safer, and the one use of libcurl, which Swift cannot call: its options
// are a variadic function.
// Nothing here decides anything. Only belfry-fleetd links these libraries.

#ifndef BELFRY_CFLEET_H
#define BELFRY_CFLEET_H

#include <stddef.h>

#include <mosquitto.h>
#include <mqtt_protocol.h>

/// mosquitto_loop_read(3), which a broker cannot use to end the process. After MOSQ_ERR_MALFORMED_PACKET nothing may be done with the
/// client but to destroy it.
int belfry_mosquitto_read(struct mosquitto *client);

/// The longest reason that `belfry_http_post` writes, with its NUL: CURL_ERROR_SIZE.
enum { BELFRY_HTTP_REASON = 256 };

/// A request, and the memory for its answer.
struct belfry_http_exchange {
    const char *url;
    /// The file with the certificates that are trusted; NULL for those of the system.
    const char *ca_file;
    /// A header line besides the usual ones.
    const char *header;
    const char *body;
    /// The most time that all of it may take.
    long limit_msec;
    /// Where the body of the answer goes, and its capacity. A longer answer is an error, and so are headers that are longer.
    char *answer;
    size_t capacity;
    /// How many bytes of `answer` were written.
    size_t size;
};

/// POST over HTTP or HTTPS, with `body` as JSON. Redirects are not followed, and no other protocol is spoken. It blocks for at
/// most `limit_msec`. Returns the HTTP status, or -1 without one; then the reason is in `reason`.
long belfry_http_post(struct belfry_http_exchange *exchange, char reason[BELFRY_HTTP_REASON]);

#endif
