// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Offers what an operator asks for now and then. `belfryctl actions` lists it.
final class ArchiveListener: LifecycleListener {
    private var volumes = 0

    var answers: [LifecycleAnswer] {
        onAction("rotate", title: "Begin a new volume") { [self] _ in
            volumes += 1
            print("archive: volume \(volumes)")
        }
        onAction("verify", title: "Read all volumes", deadline: .seconds(60)) { [self] _ in
            guard volumes > 1 else { throw LifecycleRefusal("nothing to compare with") }
        }
    }
}
