// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Glibc

// The least that a Swift service can be: it says that it is ready, and waits.
guard benchmark_notify_ready() == 0 else { exit(71) }
while true { pause() }
