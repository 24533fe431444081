// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Dispatch
import Foundation
import Glibc
import Synchronization

/// Somebody else who works in a cache while it is flushed, on a thread of its own: the pool that runs tests may have
/// no second one.
nonisolated final class Neighbour: Sendable {
    let rounds = Atomic<Int>(0)
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(base: String, root: String) {
        Thread.detachNewThread { [self] in
            while !isEnding.load(ordering: .relaxed) {
                Neighbour.work(base, root)
                rounds.add(1, ordering: .relaxed)
            }
            hasEnded.signal()
        }
    }

    /// Returns when the thread does nothing any more. May be called again.
    func end() {
        isEnding.store(true, ordering: .relaxed)
        hasEnded.wait()
        hasEnded.signal()
    }

    /// `sub` is now a directory, now a link that leads out; files come and go.
    private static func work(_ base: String, _ root: String) {
        mkdir(root + "/sub", 0o755)
        for name in ["victim", "a", "b", "c"] {
            close(open("\(root)/sub/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
            close(open("\(root)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
        }
        rename(root + "/sub", root + "/sub.away")
        symlink("../outside", root + "/sub")
        unlink(root + "/a")
        rename(root + "/b", root + "/sub.away/d")
        unlink(root + "/sub")
        rename(root + "/sub.away", root + "/sub")
        for name in ["victim", "a", "b", "c", "d"] { unlink("\(root)/sub/\(name)") }
        rmdir(root + "/sub")
    }
}
