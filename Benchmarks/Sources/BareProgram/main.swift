// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Glibc

// The smallest service in Swift: it sends READY=1 and waits.
guard benchmark_notify_ready() == 0 else { exit(71) }
while true { pause() }
