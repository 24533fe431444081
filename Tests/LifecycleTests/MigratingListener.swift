// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A listener whose state had another shape in version 1.
final class MigratingListener: RestorableListener {
    nonisolated struct First: Codable {
        var number: Int
    }

    nonisolated struct Second: Codable, Sendable {
        var count: Int
    }

    let restorationIdentifier = "migrating"
    let restorableStateVersion = 2
    private(set) var count = 0

    var answers: [LifecycleAnswer] {}

    func encodeRestorableState() -> Second { Second(count: count) }
    func decodeRestorableState(_ state: Second) { count = state.count }

    func migrate(from version: Int, _ value: JSONValue) throws -> JSONValue? {
        switch version {
        case 0: throw LifecycleRefusal("version 0 was never released")
        case 1:
            let first = try JSONValueDecoder().decode(First.self, from: value)
            return try JSONValueEncoder().encode(Second(count: first.number))
        default: return nil
        }
    }
}
