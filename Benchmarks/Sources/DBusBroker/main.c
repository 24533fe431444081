// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Usage: DBusBroker SOCKET
// Runs dbus-broker on SOCKET. This process becomes the broker. A child is its controller: dbus-broker(1) opens no sockets
// itself, but receives a listening socket and a policy from it. dbus-broker-launch(1) is of no use here, because it needs
// journald and a user bus.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

// The rules of one policy: may connect; may own, send, receive. In each, 1 is the priority, and the last rule wins.
#define RULES "bta(btbs)a(btssssuutt)a(btssssuutt)"
// Policies by user, by range of users or groups, SELinux contexts, AppArmor, type of the bus.
#define POLICY "(a(u(" RULES "))a(buu(" RULES "))a(ss)bs)"

/// Gives the broker the socket with a policy that allows everything, like that of dbus-daemon's session bus.
static int control(int broker, int listener) {
    sd_bus *bus = NULL;
    sd_bus_error error = SD_BUS_ERROR_NULL;
    int result = sd_bus_new(&bus);
    if (result >= 0) result = sd_bus_set_fd(bus, broker, broker);
    if (result >= 0) result = sd_bus_start(bus);
    if (result >= 0)
        result = sd_bus_call_method(
            bus, NULL, "/org/bus1/DBus/Broker", "org.bus1.DBus.Broker", "AddListener", &error, NULL, "ohv",
            "/org/bus1/DBus/Listener/0", listener, POLICY,
            1, (uint32_t)-1, 1, UINT64_C(1),                                                 // every user may connect
            1, 1, UINT64_C(1), 1, "",                                                        // own every name
            1, 1, UINT64_C(1), "", "", "", "", 0, 0, UINT64_C(0), UINT64_MAX,                // send every message
            1, 1, UINT64_C(1), "", "", "", "", 0, 0, UINT64_C(0), UINT64_MAX,                // receive every message
            0, 0, 0, "session");
    if (result < 0) {
        fprintf(stderr, "unable to control dbus-broker: %s\n", error.message ? error.message : strerror(-result));
        return 71;
    }
    // The broker ends with its controller, and this ends with the broker.
    while (result >= 0) {
        result = sd_bus_process(bus, NULL);
        if (result == 0) result = sd_bus_wait(bus, UINT64_MAX);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 2) return 64;
    int listener = benchmark_listen(argv[1]), pair[2];
    if (listener < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) < 0) {
        perror(argv[1]);
        return 71;
    }
    pid_t controller = fork();
    if (controller < 0) return 71;
    if (controller == 0) {
        close(pair[1]);
        return control(pair[0], listener);
    }
    close(pair[0]);
    char descriptor[12];
    snprintf(descriptor, sizeof descriptor, "%d", pair[1]);
    // The limits are no less than those of dbus-daemon's session bus.
    execlp("dbus-broker", "dbus-broker", "--controller", descriptor, "--machine-id", "00000000000000000000000000000001",
        "--max-bytes", "1000000000000", "--max-matches", "1000000000", "--max-objects", "1000000000", "--max-fds", "1000000", (char *)NULL);
    perror("dbus-broker");
    return 71;
}
