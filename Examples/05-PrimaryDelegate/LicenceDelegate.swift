// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Agrees to the launch when the licence is paid.
final class LicenceDelegate: LifecycleListener {
    private let isPaid: Bool

    init(isPaid: Bool) { self.isPaid = isPaid }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [isPaid] _ in
            print("  licence: \(isPaid ? "yes" : "no")")
            if !isPaid { throw LifecycleRefusal("not paid") }
        }
    }
}
