// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// libsystemd, and what Swift cannot import from the C library: calls that the Glibc overlay leaves out, macros
// with arguments and inline functions. Nothing here decides anything. _GNU_SOURCE is for the C file alone to define:
// Swift's own Glibc module is built without it, and the two must agree on the types of the C library.

#ifndef BELFRY_CSYSTEMD_H
#define BELFRY_CSYSTEMD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>
#include <systemd/sd-login.h>

#include "belfry_memory.h"

/// What a clock shows, in microseconds (clock_gettime(2)). The clock must be one that the kernel has.
static inline uint64_t belfry_clock_usec(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/// The main queue of libdispatch, which is the executor of Swift's main actor, and dispatch_async_f(3) to it. In Swift the
/// queue comes with all of the Dispatch overlay, which no linker leaves out again.
static inline void belfry_main_queue_async(void *context, void (*work)(void *)) {
    extern struct dispatch_queue_s _dispatch_main_q;
    extern void dispatch_async_f(struct dispatch_queue_s *queue, void *context, void (*work)(void *));
    dispatch_async_f(&_dispatch_main_q, context, work);
}

/// The name (`ENOENT`) and the untranslated text of an error number, or NULL when the C library knows neither
/// (strerrorname_np(3)). Both may be called on any thread.
const char *belfry_error_name(int code);
const char *belfry_error_text(int code);

/// Blocks every signal that can be blocked, except those that report a fault of the program itself
/// (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS), ignores SIGPIPE, and gives SIGABRT its default action. Returns 0
/// or -errno.
int belfry_block_signals(void);

/// Ignores and unblocks a signal, or gives it its default action back and blocks it, in the calling thread.
/// Returns 0 or -errno.
int belfry_set_ignored(int number, bool ignored);

/// Whether a signal has a handler. A signal source of libdispatch sets one beside the descriptor from which it reads.
bool belfry_has_handler(int number);

/// The most descriptors that a child can be given.
enum { BELFRY_CHILD_DESCRIPTORS = 256 };

/// posix_spawnp(3) with an empty signal mask, default dispositions and, if `group`, a process group of its own. The child's
/// descriptors 0, 1, 2, ... are `descriptors`, and it has no others; with NULL it has all of ours that are not closed on
/// exec. Returns 0 or -errno.
int belfry_spawn(
    pid_t *pid, const char *file, char *const argv[], char *const envp[], bool group, const int *descriptors,
    size_t count);

/// The same with a process group of its own, in the control group whose file cgroup.procs is open as `procs` (cgroups(7)): the
/// child enters it before it runs the program, so that no process that it starts is outside. posix_spawn(3) cannot do this,
/// and a sandbox with RestrictNamespaces= refuses clone3(2), which can.
int belfry_spawn_in(
    int procs, pid_t *pid, const char *file, char *const argv[], char *const envp[], const int *descriptors, size_t count);

/// Whether systemd leaves what is below this control group to its processes, which it marks with an extended attribute
/// (systemd, «Control Group APIs and Delegation»).
bool belfry_is_delegated(const char *group);

/// Whether a file has an access control list (acl(5)).
bool belfry_has_access_list(const char *path);

/// SO_PEERCRED (unix(7)) of a connected Unix socket. Returns 0 or -errno.
int belfry_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

/// The supplementary groups of the peer of a Unix socket (SO_PEERGROUPS). Returns how many were written to
/// `groups`, or -errno.
int belfry_peer_groups(int fd, gid_t *groups, int capacity);

/// Whether the process that connected still runs (SO_PEERPIDFD). True before Linux 6.5, which does not say.
bool belfry_peer_runs(int fd);

/// accept4(2) with SOCK_CLOEXEC and SOCK_NONBLOCK. Returns a descriptor or -errno.
int belfry_accept(int fd);

/// Binds and listens on, or connects to, a Unix stream socket. A path that starts with '@' names an abstract
/// address. Returns a descriptor that is non-blocking and closed on exec, or -errno.
int belfry_unix_listen(const char *path, int backlog);
int belfry_unix_connect(const char *path);

/// Binds a TCP socket to a port of a numeric IPv4 or IPv6 address. It does not listen yet. Returns a descriptor that is
/// non-blocking and closed on exec, or -errno; -EINVAL for an address that is not numeric.
int belfry_tcp_bind(const char *address, uint16_t port);

/// A Unix datagram socket without a peer, non-blocking and closed on exec. Returns a descriptor or -errno.
int belfry_datagram_socket(void);

/// Whether somebody takes datagrams at `path`, as above. Returns 0 or -errno.
int belfry_datagram_reaches(const char *path);

/// The most descriptors that go with a datagram: SCM_MAX_FD of the kernel (unix(7)).
enum { BELFRY_DATAGRAM_DESCRIPTORS = 253 };

/// Sends a datagram with copies of descriptors to the socket at `path`, as above, and never waits: -EAGAIN while that
/// socket's queue is full. Returns 0 or -errno.
int belfry_send_datagram(
    int fd, const char *path, const void *bytes, size_t size, const int *descriptors, size_t count);

/// Whether a datagram that was sent by this socket has not been received yet (SIOCOUTQ, which counts their memory).
bool belfry_is_unread(int fd);

/// A file in memory that holds a copy of the bytes, and that nobody can change any more (memfd_create(2), F_ADD_SEALS).
/// Returns a descriptor or -errno.
int belfry_sealed_copy(const char *name, const void *bytes, size_t size);

/// pipe2(2) with O_CLOEXEC and O_NONBLOCK. Returns 0 or -errno.
int belfry_pipe(int ends[2]);

/// Says what a socket, or the file of one, is in Varlink (UAPI.20, "Recognizing Varlink Socket Inodes"). Takes effect
/// from Linux 7.0 on; before it sockets have no extended attributes.
void belfry_mark_varlink_socket(int fd, const char *role);
void belfry_mark_varlink_entrypoint(const char *path);

/// Has the kernel refuse descriptors that a peer wants to pass (SO_PASSRIGHTS, Linux 6.16). On a listening socket this
/// holds for its connections.
void belfry_refuse_descriptors(int fd);

/// Gives the pages of code that were touched so far back to the kernel, which reads those that are needed again from
/// its cache: what only the start needs does not stay resident (madvise(2), dl_iterate_phdr(3)).
void belfry_release_code_pages(void);

/// A record in the section `belfry_listeners`: a function that registers one listener.
typedef void (*belfry_listener_record)(void);

/// Calls every record that is linked into the program, if there is any. The linker gives the bounds of the section.
void belfry_call_listener_records(void);

/// syncfs(2). Returns 0 or -errno.
int belfry_syncfs(int fd);

/// What statx(2) says of one name, never of what a symbolic link points to.
struct belfry_status {
    uint64_t device;
    uint64_t inode;
    uint64_t space; // allocated bytes
    uint32_t links;
    mode_t mode;
    int64_t modified; // nanoseconds since the epoch, as far as they fit
    int64_t accessed; // in the same way
    uint64_t mount; // the number of the mount, or before Linux 5.8 that of the device
};

/// The status of `name` in `directory`, or of the descriptor itself when `name` is empty. Mounts nothing.
/// Returns 0 or -errno.
int belfry_status_at(int directory, const char *name, struct belfry_status *status);

/// Whether another file system than the one of the directory above it is mounted on this directory. A bind mount of the
/// same file system does not count: systemd makes one of every path in ReadWritePaths=. Returns 1, 0 or -errno.
int belfry_is_mount_point(int directory);

/// What statvfs(3) says of the file system of a descriptor.
struct belfry_file_system {
    uint64_t available;      // bytes that users other than root can still write
    bool keeps_access_times; // not mounted noatime, and writable
};
int belfry_examine_file_system(int fd, struct belfry_file_system *found);

/// Takes a write lease of a regular file (F_SETLEASE, fcntl(2)), until the descriptor is closed. Returns 0, or -EAGAIN if the
/// file is open elsewhere, or another -errno if that cannot be known: leases need the owner of the file or CAP_LEASE, and not
/// every file system has them. Whoever opens the file meanwhile waits until the descriptor is closed. The signal that announces
/// this goes to the calling thread alone, where it must be blocked or ignored.
int belfry_lease(int fd);

/// malloc_trim(3) with no padding. Returns whether memory went back to the kernel.
bool belfry_malloc_trim(void);

/// A timer of CLOCK_REALTIME that is not armed yet. Returns a descriptor, or -errno.
int belfry_clock_timer(void);

/// Arms such a timer until a time in seconds since 1970. The descriptor is readable when it has come, and when the clock
/// jumps against CLOCK_MONOTONIC, which cancels the timer (TFD_TIMER_CANCEL_ON_SET, timerfd_create(2)), until the next
/// call. Returns 0, or 1 if the clock has jumped since the last call, or -errno.
int belfry_clock_timer_arm(int fd, int64_t seconds);

/// What malloc_info(3) says of the heap, in XML, to be freed by the caller; NULL without memory for it.
char *belfry_malloc_info(void);

/// Numbers of mallinfo2(3), in bytes.
struct belfry_malloc_usage {
    size_t arena;  // taken with brk(2)
    size_t mapped; // taken with mmap(2)
    size_t used;   // in use
    size_t unused; // free, and still held
};
struct belfry_malloc_usage belfry_malloc_usage(void);

/// File type macros of stat(2).
static inline bool belfry_is_directory(mode_t mode) { return S_ISDIR(mode); }
static inline bool belfry_is_regular(mode_t mode) { return S_ISREG(mode); }
static inline bool belfry_is_socket(mode_t mode) { return S_ISSOCK(mode); }
static inline bool belfry_is_link(mode_t mode) { return S_ISLNK(mode); }

/// `si_pid` and `si_status` of a siginfo_t for SIGCHLD (sigaction(2)), which are macros over a union.
static inline pid_t belfry_siginfo_pid(const siginfo_t *info) { return info->si_pid; }
static inline int belfry_siginfo_status(const siginfo_t *info) { return info->si_status; }

#endif
