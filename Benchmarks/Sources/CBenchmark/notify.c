// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CBenchmark.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int benchmark_notify_ready(void) {
    static const char message[] = "READY=1";
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    if (path == NULL || strlen(path) >= sizeof address.sun_path) {
        errno = EINVAL;
        return -1;
    }
    strcpy(address.sun_path, path);
    int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return -1;
    ssize_t sent = sendto(
        descriptor, message, sizeof message - 1, MSG_NOSIGNAL, (struct sockaddr *)&address, sizeof address);
    close(descriptor);
    return sent < 0 ? -1 : 0;
}
