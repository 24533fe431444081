// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

#include <stdint.h>

/// Sends READY=1 to $NOTIFY_SOCKET, as sd_notify(3) does, without a library. Returns 0, or -1 with errno.
int benchmark_notify_ready(void);

/// Nanoseconds by CLOCK_MONOTONIC.
uint64_t benchmark_now(void);
/// Nanoseconds by CLOCK_REALTIME.
uint64_t benchmark_realtime(void);

/// Keeps the processor from halting, with work that gives way to any other at once: how long a virtual processor takes
/// to wake up belongs to the machine, and is several times what is measured. Returns what has to be handed back.
int benchmark_keep_processor_awake(void);
/// Ends that.
void benchmark_let_processor_sleep(int waker);
/// Prints median and 99th percentile as a line of JSON; puts the times in order.
void benchmark_print_times(uint64_t *_Nonnull times, int count);

/// Connects to a Unix stream socket. Returns a descriptor, or -1 with errno.
int benchmark_connect(const char *_Nonnull path);
/// Blocks SIGUSR1, and returns a descriptor to read it from (signalfd(2)), or -1 with errno.
int benchmark_signal_descriptor(void);

/// What an observer does when it is called: counts.
void benchmark_call(void);
/// How often that was since the last time.
long benchmark_take_calls(void);

enum { BENCHMARK_BURST = 1000 };

/// A page that the sender of signals and a receiver share. The receiver makes the file; one thread at a time writes.
typedef struct BenchmarkPage BenchmarkPage;

/// Makes the file when `create` is set. Ends the process when it cannot.
BenchmarkPage *_Nonnull benchmark_page_open(const char *_Nonnull path, int create);
/// The receiver's handlers are in place.
void benchmark_page_set_ready(BenchmarkPage *_Nonnull page);
int benchmark_page_is_ready(const BenchmarkPage *_Nonnull page);

/// A single signal has reached the handler: keeps the time.
void benchmark_page_note(BenchmarkPage *_Nonnull page);
uint32_t benchmark_page_count(const BenchmarkPage *_Nonnull page);
/// Sleeps until the count is another than `seen`.
void benchmark_page_wait(BenchmarkPage *_Nonnull page, uint32_t seen);
uint64_t benchmark_page_time(const BenchmarkPage *_Nonnull page);

/// A signal of the burst has reached the handler, with what it told of value and sender; 0 for what it did not.
void benchmark_page_note_burst(BenchmarkPage *_Nonnull page, int32_t value, int32_t sender);
uint64_t benchmark_page_burst_count(const BenchmarkPage *_Nonnull page);
/// How many of the burst came with the value that their place in it asks for, and with this sender.
uint64_t benchmark_page_burst_whole(const BenchmarkPage *_Nonnull page, int32_t sender);
