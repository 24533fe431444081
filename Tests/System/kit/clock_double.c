// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// Preloaded into belfryd, it stands between the program and its clocks. Writing "REALTIME BOOTTIME\n" into the
// fifo $CLOCK_DOUBLE moves these clocks on by so many microseconds, and the timer that is to be cancelled when the clock
// is set (TFD_TIMER_CANCEL_ON_SET) becomes readable and is cancelled, as the kernel does it after a sleep of the machine
// and after clock_settime(2). A line is one event. As in the kernel, timerfd_settime() on a cancelled timer arms it, and
// fails once with ECANCELED.

#define _GNU_SOURCE

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static int timer = -1;
static int64_t realtime, boottime;

int timerfd_create(int clock, int flags) {
    if (clock != CLOCK_REALTIME || timer >= 0) return (int) syscall(SYS_timerfd_create, clock, flags);
    timer = open(getenv("CLOCK_DOUBLE"), O_RDWR | O_NONBLOCK | O_CLOEXEC);
    return timer;
}

// Takes one line, if there is one, which was written as a whole; -1 with ECANCELED then, else 0.
static int cancelled(void) {
    char text[64] = {0};
    size_t length = 0;
    while (length < sizeof text - 1 && syscall(SYS_read, timer, text + length, 1) == 1 && text[length] != '\n') length++;
    if (length == 0) return 0;
    char *rest;
    realtime += strtoll(text, &rest, 10);
    boottime += strtoll(rest, NULL, 10);
    errno = ECANCELED;
    return -1;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *value, struct itimerspec *old) {
    if (fd == timer && timer >= 0) return cancelled();
    return (int) syscall(SYS_timerfd_settime, fd, flags, value, old);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (syscall(SYS_clock_gettime, clock, time) < 0) return -1;
    int64_t shift = clock == CLOCK_REALTIME ? realtime : clock == CLOCK_BOOTTIME ? boottime : 0;
    int64_t nanoseconds = time->tv_nsec + shift % 1000000 * 1000;
    time->tv_sec += shift / 1000000 + (nanoseconds >= 1000000000) - (nanoseconds < 0);
    time->tv_nsec = (nanoseconds + 1000000000) % 1000000000;
    return 0;
}
