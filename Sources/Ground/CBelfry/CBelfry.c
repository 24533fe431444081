// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBelfry.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

const char *belfry_error_name(int code) { return strerrorname_np(code); }
const char *belfry_error_text(int code) { return strerrordesc_np(code); }

int belfry_block_signals(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    sigset_t all;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) sigdelset(&all, faults[i]);
    if (sigprocmask(SIG_SETMASK, &all, NULL) < 0) return -errno;
    if (signal(SIGPIPE, SIG_IGN) == SIG_ERR) return -errno;
    // Swift's runtime catches SIGABRT in a dynamically linked program, and writes a backtrace for seconds. The watchdog of the
    // service manager sends it to a service that hangs, and expects its end. A failure of Swift itself raises another signal.
    // It catches SIGQUIT too, and a handler is the mark of another reader of the signal (belfry_has_handler).
    if (signal(SIGABRT, SIG_DFL) == SIG_ERR || signal(SIGQUIT, SIG_DFL) == SIG_ERR) return -errno;
    return 0;
}

bool belfry_has_handler(int number) {
    struct sigaction present;
    return sigaction(number, NULL, &present) == 0 && present.sa_handler != SIG_DFL && present.sa_handler != SIG_IGN;
}

int belfry_set_ignored(int number, bool ignored) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    // In this order no delivery finds the signal unblocked with its default action.
    if (!ignored && sigprocmask(SIG_BLOCK, &set, NULL) < 0) return -errno;
    struct sigaction present;
    if (sigaction(number, NULL, &present) < 0) return -errno;
    // To set the default action of SIGCONT again would discard one that is pending (sigaction(2)).
    void (*wanted)(int) = ignored ? SIG_IGN : SIG_DFL;
    if (present.sa_handler != wanted && signal(number, wanted) == SIG_ERR) return -errno;
    if (ignored && sigprocmask(SIG_UNBLOCK, &set, NULL) < 0) return -errno;
    return 0;
}

// Each descriptor is first copied above all numbers that the child gets, so that no copy overwrites one that is needed.
static int pass_descriptors(posix_spawn_file_actions_t *actions, const int *descriptors, size_t count, int *copies) {
    int r = 0;
    for (size_t i = 0; i < count && r == 0; i++) {
        copies[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, (int) count);
        r = copies[i] < 0 ? errno : posix_spawn_file_actions_adddup2(actions, copies[i], (int) i);
    }
    return r == 0 ? posix_spawn_file_actions_addclosefrom_np(actions, (int) count) : r;
}

int belfry_spawn(
    pid_t *pid, const char *file, char *const argv[], char *const envp[], bool group, const int *descriptors,
    size_t count) {
    if (count > BELFRY_CHILD_DESCRIPTORS) return -EINVAL;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    int r = posix_spawnattr_init(&attributes);
    if (r != 0) return -r;
    r = posix_spawn_file_actions_init(&actions);
    if (r != 0) {
        posix_spawnattr_destroy(&attributes);
        return -r;
    }
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int copies[BELFRY_CHILD_DESCRIPTORS];
    for (size_t i = 0; i < count; i++) copies[i] = -1;
    if (descriptors) r = pass_descriptors(&actions, descriptors, count, copies);
    if (r == 0) r = posix_spawnattr_setsigmask(&attributes, &none);
    if (r == 0) r = posix_spawnattr_setsigdefault(&attributes, &all);
    if (r == 0) r = posix_spawnattr_setpgroup(&attributes, 0);
    const int flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | (group ? POSIX_SPAWN_SETPGROUP : 0);
    if (r == 0) r = posix_spawnattr_setflags(&attributes, (short) flags);
    if (r == 0) r = posix_spawnp(pid, file, &actions, &attributes, argv, envp);
    for (size_t i = 0; i < count; i++)
        if (copies[i] >= 0) close(copies[i]);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return -r;
}

// What the child does before it runs the program; only what signal-safety(7) allows. Returns its errno.
static int run_in(
    int procs, const char *file, char *const argv[], char *const envp[], const int *copies, size_t count) {
    for (int number = 1; number <= SIGRTMAX; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    if (setpgid(0, 0) < 0 || write(procs, "0", 1) < 0) return errno;
    for (size_t i = 0; i < count; i++)
        if (dup2(copies[i], (int) i) < 0) return errno;
    if (close_range((unsigned) count, ~0U, CLOSE_RANGE_CLOEXEC) < 0) return errno;
    if (sigprocmask(SIG_SETMASK, &none, NULL) < 0) return errno;
    execvpe(file, argv, envp);
    return errno;
}

int belfry_spawn_in(
    int procs, pid_t *pid, const char *file, char *const argv[], char *const envp[], const int *descriptors,
    size_t count) {
    if (count > BELFRY_CHILD_DESCRIPTORS) return -EINVAL;
    int copies[BELFRY_CHILD_DESCRIPTORS], ends[2], r = 0;
    if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
    // Above the numbers that the child gets, as its descriptors are below.
    int report = fcntl(ends[1], F_DUPFD_CLOEXEC, (int) count);
    if (report < 0) r = errno;
    close(ends[1]);
    for (size_t i = 0; i < count; i++) copies[i] = -1;
    for (size_t i = 0; i < count && r == 0; i++) {
        copies[i] = fcntl(descriptors[i], F_DUPFD_CLOEXEC, (int) count);
        if (copies[i] < 0) r = errno;
    }
    sigset_t all, before;
    sigfillset(&all);
    // No signal may be handled in the child.
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = r == 0 ? _Fork() : -1;
    if (child == 0) {
        r = run_in(procs, file, argv, envp, copies, count);
        (void) !write(report, &r, sizeof r);
        _exit(127);
    }
    if (child < 0 && r == 0) r = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (report >= 0) close(report);
    for (size_t i = 0; i < count; i++)
        if (copies[i] >= 0) close(copies[i]);
    // The other end is closed when the program runs.
    if (child > 0 && read(ends[0], &r, sizeof r) > 0) waitpid(child, NULL, 0);
    close(ends[0]);
    *pid = child;
    return -r;
}

bool belfry_is_delegated(const char *group) {
    char value;
    return getxattr(group, "user.delegate", &value, 1) == 1 && value == '1';
}

bool belfry_has_access_list(const char *path) { return getxattr(path, "system.posix_acl_access", NULL, 0) > 0; }

int belfry_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
    struct ucred credentials;
    socklen_t length = sizeof credentials;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &length) < 0) return -errno;
    *pid = credentials.pid;
    *uid = credentials.uid;
    *gid = credentials.gid;
    return 0;
}

int belfry_peer_groups(int fd, gid_t *groups, int capacity) {
    socklen_t length = (socklen_t) ((size_t) capacity * sizeof *groups);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &length) < 0) return -errno;
    return (int) (length / sizeof *groups);
}

int belfry_accept(int fd) {
    int connection = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    return connection < 0 ? -errno : connection;
}

int belfry_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0 ? -errno : 0; }

static int release_code(struct dl_phdr_info *info, size_t size, void *data) {
    (void) size;
    uintptr_t page = *(const uintptr_t *) data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X) || (segment->p_flags & PF_W)) continue;
        uintptr_t start = (info->dlpi_addr + segment->p_vaddr) & ~(page - 1);
        uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
        madvise((void *) start, end - start, MADV_DONTNEED);
    }
    return 0;
}

void belfry_release_code_pages(void) {
    uintptr_t page = (uintptr_t) sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(release_code, &page);
}

bool belfry_malloc_trim(void) { return malloc_trim(0) == 1; }

int belfry_clock_timer(void) {
    int fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int belfry_clock_timer_arm(int fd, int64_t seconds) {
    struct itimerspec end = {.it_value.tv_sec = seconds};
    if (timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &end, NULL) == 0) return 0;
    // The timer is armed all the same: NOTES of timerfd_create(2).
    return errno == ECANCELED ? 1 : -errno;
}

char *belfry_malloc_info(void) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream) return NULL;
    bool failed = malloc_info(0, stream) != 0;
    failed = fclose(stream) != 0 || failed;
    if (!failed) return text;
    free(text);
    return NULL;
}

struct belfry_malloc_usage belfry_malloc_usage(void) {
    struct mallinfo2 info = mallinfo2();
    return (struct belfry_malloc_usage) {
        .arena = info.arena,
        .mapped = info.hblkhd,
        .used = info.uordblks + info.hblkhd,
        .unused = info.fordblks,
    };
}

extern const belfry_listener_record __start_belfry_listeners[] __attribute__((weak, visibility("hidden")));
extern const belfry_listener_record __stop_belfry_listeners[] __attribute__((weak, visibility("hidden")));

void belfry_call_listener_records(void) {
    for (const belfry_listener_record *record = __start_belfry_listeners; record < __stop_belfry_listeners; record++)
        if (*record) (*record)();
}
