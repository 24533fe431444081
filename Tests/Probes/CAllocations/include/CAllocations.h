// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

#pragma once

/// How often this program has asked for memory so far, on all threads. A program that links this has its own malloc(3),
/// which counts and hands on to the C library's.
unsigned long allocations_count(void);
