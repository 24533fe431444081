// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import UnixSignals

// Usage: SignalUnixSignals PAGE
// Receives the signal as a service on swift-service-lifecycle does.
let page = benchmark_page_open(CommandLine.arguments[1], 1)
let signals = await UnixSignalsSequence(trapping: .sigusr1)
benchmark_page_set_ready(page)
for await _ in signals { benchmark_page_note(page) }
