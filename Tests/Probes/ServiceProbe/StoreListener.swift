// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import Glibc
import BelfrySystemd

/// Stores two descriptors with a flush, says when the manager has them, and removes them when it is asked for its
/// status.
final class StoreListener: LifecycleListener {
    let name = "probe"
    private let store: DescriptorStore
    private let manager = ServiceManagerSocket()
    private let loop: MainEventLoop

    init(_ loop: MainEventLoop) {
        self.loop = loop
        store = DescriptorStore(manager: manager)
    }

    var answers: [LifecycleAnswer] {
        on(.flushRequested) { [self] _ in
            var ends: [Int32] = [-1, -1]
            pipe(&ends)
            say("store \(store.store(ends, named: "probe", evenHungUp: true))")
            // Both ends hang up with this, and stay where they are nevertheless.
            for end in ends { close(end) }
            manager.barrier(on: loop, limit: .seconds(20)) { [self] in say("stored \($0)") }
        }
        on(.statusRequested) { [self] _ in
            store.remove(named: "probe")
            say("removed")
        }
        on(.didFinishLaunching) { [self] _ in
            let names = (try? ListenDescriptors.received())?.descriptors.map(\.name) ?? []
            say("received \(names.filter { $0 == "probe" })")
        }
    }

    private func say(_ text: String) {
        let line = text + "\n"
        write(STDERR_FILENO, line, line.utf8.count)
    }
}
