// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "Protocol.h"

static void subscribe(int descriptor, int index) {
    (void)index;
    static const char call[] =
        "{\"method\":\"io.belfry.Lifecycle.Subscribe\",\"more\":true,\"parameters\":{\"names\":[\"benchmark\"]}}";
    send_all(descriptor, call, sizeof call);
    skip_through(descriptor, 0);
}

static void begin_publishing(int descriptor) { (void)descriptor; }

static void publish(struct Buffer *buffer, const char *payload, size_t count) {
    buffer_append_text(buffer, "{\"method\":\"io.belfry.Lifecycle.Post\",\"oneway\":true,\"parameters\":"
                               "{\"name\":\"benchmark\",\"userInfo\":{\"payload\":\"");
    buffer_append(buffer, payload, count);
    buffer_append(buffer, "\"}}}", sizeof "\"}}}");
}

const struct Protocol varlink_protocol = {"varlink", subscribe, begin_publishing, publish};
