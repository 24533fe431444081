// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBelfry.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/xattr.h>

// Linux 6.16; the headers of Debian 12 do not have it.
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

static const char attribute[] = "user.varlink";

void belfry_mark_varlink_socket(int fd, const char *role) { (void) fsetxattr(fd, attribute, role, strlen(role), 0); }

void belfry_mark_varlink_entrypoint(const char *path) {
    static const char role[] = "entrypoint";
    (void) lsetxattr(path, attribute, role, sizeof role - 1, 0);
}

void belfry_refuse_descriptors(int fd) {
    int off = 0;
    (void) setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
}
