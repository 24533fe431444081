// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#include "CAllocations.h"

// A sanitizer replaces these functions itself. Then nothing is counted.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

// The names that glibc keeps for those who replace the public ones.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_ulong count;

unsigned long allocations_count(void) { return count; }

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
    count++;
    return __libc_calloc(members, size);
}

void *realloc(void *old, size_t size) {
    count++;
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    count++;
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
    count++;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}

#else

unsigned long allocations_count(void) { return 0; }

#endif
