// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The concern of keeping recordings: the first there and the last to go.
final class StoreListener: LifecycleListener {
    private(set) var recordings: [String] = []

    /// Keeps a recording.
    func keep(_ recording: String) {
        recordings.append(recording)
        print("store: keeps \(recording)")
    }

    /// Drops all but the newest.
    func trim(to count: Int) { recordings.removeFirst(max(0, recordings.count - count)) }

    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { _ in print("store: open") }
        on(.willTerminate) { [self] _ in print("store: closed with \(recordings.count)") }
    }
}
