// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A listener that keeps a number and a text, and counts how often it was given them.
final class RestoredListener: RestorableListener {
    nonisolated struct Kept: Codable, Sendable {
        var count: Int
        var text: String
    }

    let restorationIdentifier: String
    let restorableStateVersion: Int
    var count: Int
    var text = ""
    var encodingFailure: (any Error)?
    var decodingFailure: (any Error)?
    private(set) var decodings = 0

    init(_ identifier: String, version: Int = 1, count: Int = 0) {
        restorationIdentifier = identifier
        restorableStateVersion = version
        self.count = count
    }

    var name: String { "listener \(restorationIdentifier)" }
    var answers: [LifecycleAnswer] {}

    func encodeRestorableState() throws -> Kept {
        if let encodingFailure { throw encodingFailure }
        return Kept(count: count, text: text)
    }

    func decodeRestorableState(_ state: Kept) throws {
        if let decodingFailure { throw decodingFailure }
        decodings += 1
        count = state.count
        text = state.text
    }
}
