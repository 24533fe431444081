// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBelfry.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

// Linux 6.5 and 6.16; the headers of Debian 12 do not have them.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

static int unix_address(const char *path, struct sockaddr_un *address, socklen_t *length) {
    size_t size = strlen(path);
    if (size == 0) return -EINVAL;
    if (size >= sizeof address->sun_path) return -ENAMETOOLONG;
    memset(address, 0, sizeof *address);
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, size);
    *length = (socklen_t) (offsetof(struct sockaddr_un, sun_path) + size);
    if (path[0] == '@')
        address->sun_path[0] = 0;
    else
        *length += 1;
    return 0;
}

typedef int (*attach_call)(int, const struct sockaddr *, socklen_t);

static int unix_socket(const char *path, int type, attach_call attach) {
    struct sockaddr_un address;
    socklen_t length;
    int r = unix_address(path, &address, &length);
    if (r < 0) return r;
    int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    if (attach(fd, (const struct sockaddr *) &address, length) < 0) {
        r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

int belfry_unix_listen(const char *path, int backlog) {
    int fd = unix_socket(path, SOCK_STREAM, bind);
    if (fd < 0) return fd;
    if (listen(fd, backlog) < 0) {
        int r = -errno;
        close(fd);
        return r;
    }
    return fd;
}

int belfry_unix_connect(const char *path) { return unix_socket(path, SOCK_STREAM, connect); }

int belfry_tcp_bind(const char *address, uint16_t port) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    bool is_v4 = inet_pton(AF_INET, address, &v4.sin_addr) == 1;
    if (!is_v4 && inet_pton(AF_INET6, address, &v6.sin6_addr) != 1) return -EINVAL;
    int fd = socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -errno;
    // Connections of a former process may still be in TIME_WAIT (ip(7)).
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const struct sockaddr *name = is_v4 ? (const struct sockaddr *) &v4 : (const struct sockaddr *) &v6;
    if (bind(fd, name, is_v4 ? sizeof v4 : sizeof v6) == 0) return fd;
    int r = -errno;
    close(fd);
    return r;
}

int belfry_datagram_socket(void) {
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    return fd < 0 ? -errno : fd;
}

int belfry_datagram_reaches(const char *path) {
    int fd = unix_socket(path, SOCK_DGRAM, connect);
    if (fd < 0) return fd;
    close(fd);
    return 0;
}

int belfry_send_datagram(
    int fd, const char *path, const void *bytes, size_t size, const int *descriptors, size_t count) {
    struct sockaddr_un address;
    socklen_t length;
    int r = unix_address(path, &address, &length);
    if (r < 0) return r;
    union {
        char bytes[CMSG_SPACE(sizeof(int) * BELFRY_DATAGRAM_DESCRIPTORS)];
        struct cmsghdr header;
    } control;
    struct iovec part = {.iov_base = (void *) bytes, .iov_len = size};
    struct msghdr message = {
        .msg_name = &address,
        .msg_namelen = length,
        .msg_iov = &part,
        .msg_iovlen = 1,
    };
    if (count > BELFRY_DATAGRAM_DESCRIPTORS) return -EINVAL;
    if (count > 0) {
        memset(&control, 0, sizeof control);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int) * count);
        memcpy(CMSG_DATA(&control.header), descriptors, sizeof(int) * count);
        message.msg_control = &control;
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    }
    return sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}

bool belfry_is_unread(int fd) {
    int size = 0;
    return ioctl(fd, SIOCOUTQ, &size) == 0 && size > 0;
}

int belfry_sealed_copy(const char *name, const void *bytes, size_t size) {
    int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0) return -errno;
    int r = 0;
    for (size_t done = 0; done < size && r == 0;) {
        ssize_t count = write(fd, (const char *) bytes + done, size - done);
        if (count < 0 && errno != EINTR) r = -errno;
        if (count > 0) done += (size_t) count;
    }
    if (r == 0 && fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) < 0) r = -errno;
    if (r == 0) return fd;
    close(fd);
    return r;
}

static const char attribute[] = "user.varlink";

void belfry_mark_varlink_socket(int fd, const char *role) { (void) fsetxattr(fd, attribute, role, strlen(role), 0); }

void belfry_mark_varlink_entrypoint(const char *path) {
    static const char role[] = "entrypoint";
    (void) lsetxattr(path, attribute, role, sizeof role - 1, 0);
}

bool belfry_peer_runs(int fd) {
    int process;
    socklen_t length = sizeof process;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &process, &length) < 0) return errno == ENOPROTOOPT;
    struct pollfd ended = {.fd = process, .events = POLLIN};
    bool runs = poll(&ended, 1, 0) == 0;
    close(process);
    return runs;
}

void belfry_refuse_descriptors(int fd) {
    int off = 0;
    (void) setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &off, sizeof off);
}
