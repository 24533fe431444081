// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Refuses the launch, or hangs in it or at the end, as it is told to.
final class MannerListener: LifecycleListener {
    let name = "probe"
    private let manner: String

    init(_ manner: String) { self.manner = manner }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in
            if manner == "refuse" { throw LifecycleRefusal("not today") }
            if manner == "hangStart" { await hang() }
        }
        on(.willTerminate) { [self] _ in
            if manner == "hang" { await hang() }
        }
    }

    private func hang() async { await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }
}
