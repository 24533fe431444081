// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBelfryFleet.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// libmosquitto 2.0.11 (Debian 12) is built with assertions, and one of them fails when a broker sends a property that it does not
// know: it logs this for no client (property__read calls log__printf(NULL, …)). This must end the connection, not the process.
// The library calls the __assert_fail of the program. What it had allocated for that packet is lost; it holds no lock there.
static _Thread_local sigjmp_buf *reading;

_Noreturn void __assert_fail(const char *assertion, const char *file, unsigned int line, const char *function) {
    if (reading && strcmp(function, "log__printf") == 0) siglongjmp(*reading, 1);
    fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, assertion);
    abort();
}

int belfry_mosquitto_read(struct mosquitto *client) {
    sigjmp_buf here;
    int result = MOSQ_ERR_MALFORMED_PACKET;
    reading = &here;
    if (sigsetjmp(here, 0) == 0) result = mosquitto_loop_read(client, 1);
    reading = NULL;
    return result;
}
