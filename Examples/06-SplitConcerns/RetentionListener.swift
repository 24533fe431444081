// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The concern of space: it drops old recordings when memory is short.
final class RetentionListener: LifecycleListener {
    private let store: StoreListener

    init(store: StoreListener) { self.store = store }

    var answers: [LifecycleAnswer] {
        onOpenURL { [store] url in
            guard url == "camera://erase" else { return false }
            store.trim(to: 1)
            return true
        }
        onEvent(MemoryWarning.self) { [store] warning in
            store.trim(to: 1)
            print("retention: memory is short (\(warning.level)), \(store.recordings.count) left")
        }
    }
}
