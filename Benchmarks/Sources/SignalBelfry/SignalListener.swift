// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBenchmark
internal import Lifecycle

/// Notes when SIGUSR1 arrives: the notification `flushRequested`, as it is mapped by default.
final class SignalListener: LifecycleListener {
    private let page: OpaquePointer

    init(_ page: OpaquePointer) { self.page = page }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in benchmark_page_note(page) }
        on(.didBecomeActive) { [self] _ in benchmark_page_set_ready(page) }
    }
}
