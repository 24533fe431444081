// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// libmosquitto (libmosquitto(3)) with one call that is safer. Nothing here decides anything.

#ifndef BELFRY_CFLEET_H
#define BELFRY_CFLEET_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

/// mosquitto_loop_read(3), which a broker cannot use to end the process. After MOSQ_ERR_MALFORMED_PACKET nothing may be done with the
/// client but to destroy it.
int belfry_mosquitto_read(struct mosquitto *client);

#endif
