// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Glibc
import Lifecycle

/// Ends the process behind the service's back with a flush, as some libraries do when they have had enough.
final class ExitingListener: LifecycleListener {
    let name = "probe"
    private let status: Int32

    init(status: Int) { self.status = Int32(truncatingIfNeeded: status) }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in exit(status) }
    }
}
