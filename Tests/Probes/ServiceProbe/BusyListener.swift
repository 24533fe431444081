// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc

/// Computes from a flush until a file says that it is enough, and never waits meanwhile.
final class BusyListener: LifecycleListener {
    let name = "probe"
    private let directory: String

    init(_ directory: String) { self.directory = directory }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in
            close(creat(directory + "/busy", 0o644))
            while access(directory + "/enough", F_OK) != 0 {}
        }
    }
}
