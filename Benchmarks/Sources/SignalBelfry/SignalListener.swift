// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Lifecycle

/// Stores the time when SIGUSR1 arrives, which is mapped to `flushRequested` by default.
final class SignalListener: LifecycleListener {
    private let page: OpaquePointer

    init(_ page: OpaquePointer) { self.page = page }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in benchmark_page_note(page) }
        on(.didBecomeActive) { [self] _ in benchmark_page_set_ready(page) }
    }
}
