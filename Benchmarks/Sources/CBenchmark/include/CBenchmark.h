// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

#include <stdint.h>

/// Nanoseconds by CLOCK_MONOTONIC.
uint64_t benchmark_now(void);

/// What an observer does when it is called: it increments a number.
void benchmark_call(void);
/// The number of calls since the last time.
long benchmark_take_calls(void);

/// Connects to a Unix stream socket by its path, or to loopback by the number of a TCP port. Returns a descriptor, or -1
/// with errno.
int benchmark_connect(const char *_Nonnull address);
/// Makes a Unix stream socket that listens on the path and does not block. Returns a descriptor, or -1 with errno.
int benchmark_listen(const char *_Nonnull path);
/// Sends READY=1 to $NOTIFY_SOCKET, as sd_notify(3) does, without libsystemd. Returns 0, or -1 with errno.
int benchmark_notify_ready(void);
/// Blocks SIGUSR1, and returns a descriptor to read it from (signalfd(2)), or -1 with errno.
int benchmark_signal_descriptor(void);

enum { BENCHMARK_BURST = 1000 };

/// Memory that the sender of signals and a receiver share. The receiver creates the file; one thread at a time writes.
typedef struct BenchmarkPage BenchmarkPage;

/// Maps the file, and creates it first if `create` is set. Exits if that fails.
BenchmarkPage *_Nonnull benchmark_page_open(const char *_Nonnull path, int create);
/// The receiver's handlers are installed.
void benchmark_page_set_ready(BenchmarkPage *_Nonnull page);
int benchmark_page_is_ready(const BenchmarkPage *_Nonnull page);

/// The handler got one signal: stores the time, increments the count, and wakes the sender.
void benchmark_page_note(BenchmarkPage *_Nonnull page);
uint32_t benchmark_page_count(const BenchmarkPage *_Nonnull page);
/// Sleeps until the count differs from `seen`, and returns the stored time.
uint64_t benchmark_page_wait(BenchmarkPage *_Nonnull page, uint32_t seen);

/// The handler got one signal of the burst, with this value and sender, or 0 if it does not know them.
void benchmark_page_note_burst(BenchmarkPage *_Nonnull page, int32_t value, int32_t sender);
uint64_t benchmark_page_burst_count(const BenchmarkPage *_Nonnull page);
/// The number of signals of the burst that came in order with their value and with this sender.
uint64_t benchmark_page_burst_whole(const BenchmarkPage *_Nonnull page, int32_t sender);
