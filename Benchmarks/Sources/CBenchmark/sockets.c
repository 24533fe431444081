// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBenchmark.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/// The descriptor if the call on it succeeded, otherwise -1 with the errno of the call.
static int opened(int descriptor, int result) {
    if (result >= 0) return descriptor;
    int error = errno;
    if (descriptor >= 0) close(descriptor);
    errno = error;
    return -1;
}

static struct sockaddr_un address_of(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    return address;
}

int benchmark_connect(const char *address) {
    if (*address == '/') {
        struct sockaddr_un at = address_of(address);
        int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        return opened(descriptor, connect(descriptor, (struct sockaddr *)&at, sizeof at));
    }
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(address)),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return opened(descriptor, connect(descriptor, (struct sockaddr *)&at, sizeof at));
}

int benchmark_listen(const char *path) {
    struct sockaddr_un at = address_of(path);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int result = bind(descriptor, (struct sockaddr *)&at, sizeof at);
    return opened(descriptor, result < 0 ? result : listen(descriptor, SOMAXCONN));
}

int benchmark_notify_ready(void) {
    static const char message[] = "READY=1";
    const char *path = getenv("NOTIFY_SOCKET");
    if (path == NULL) {
        errno = EINVAL;
        return -1;
    }
    struct sockaddr_un at = address_of(path);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    ssize_t sent = sendto(descriptor, message, sizeof message - 1, MSG_NOSIGNAL, (struct sockaddr *)&at, sizeof at);
    close(descriptor);
    return sent < 0 ? -1 : 0;
}

int benchmark_signal_descriptor(void) {
    sigset_t mask;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    return signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
}
