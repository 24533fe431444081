// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#define _GNU_SOURCE

#include "CBenchmark.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct BenchmarkPage {
    _Atomic int ready;
    _Atomic uint32_t count; // a futex
    uint64_t time;
    _Atomic uint64_t burst;
    int32_t values[BENCHMARK_BURST];
    int32_t senders[BENCHMARK_BURST];
};

BenchmarkPage *benchmark_page_open(const char *path, int create) {
    int descriptor = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), 0600);
    if (descriptor < 0 || (create && ftruncate(descriptor, sizeof(BenchmarkPage)) < 0)) {
        perror(path);
        exit(71);
    }
    void *page = mmap(NULL, sizeof(BenchmarkPage), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (page == MAP_FAILED) {
        perror(path);
        exit(71);
    }
    return page;
}

void benchmark_page_set_ready(BenchmarkPage *page) { atomic_store(&page->ready, 1); }

int benchmark_page_is_ready(const BenchmarkPage *page) { return atomic_load(&page->ready); }

void benchmark_page_note(BenchmarkPage *page) {
    page->time = benchmark_now();
    atomic_fetch_add(&page->count, 1);
    syscall(SYS_futex, &page->count, FUTEX_WAKE, 1, NULL, NULL, 0);
}

uint32_t benchmark_page_count(const BenchmarkPage *page) { return atomic_load(&page->count); }

uint64_t benchmark_page_wait(BenchmarkPage *page, uint32_t seen) {
    while (atomic_load(&page->count) == seen) syscall(SYS_futex, &page->count, FUTEX_WAIT, seen, NULL, NULL, 0);
    return page->time;
}

void benchmark_page_note_burst(BenchmarkPage *page, int32_t value, int32_t sender) {
    uint64_t index = atomic_load(&page->burst);
    if (index < BENCHMARK_BURST) {
        page->values[index] = value;
        page->senders[index] = sender;
    }
    atomic_store(&page->burst, index + 1);
}

uint64_t benchmark_page_burst_count(const BenchmarkPage *page) { return atomic_load(&page->burst); }

uint64_t benchmark_page_burst_whole(const BenchmarkPage *page, int32_t sender) {
    uint64_t count = atomic_load(&page->burst), whole = 0;
    for (uint64_t index = 0; index < count && index < BENCHMARK_BURST; index++)
        whole += page->values[index] == (int32_t)index && page->senders[index] == sender;
    return whole;
}
