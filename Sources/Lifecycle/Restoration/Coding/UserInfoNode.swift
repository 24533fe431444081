// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A place that something is being encoded into. Containers of one place share it, so that what is written through any
/// of them, in any order, arrives.
nonisolated final class UserInfoNode {
    private enum Content {
        case empty
        case value(UserInfoValue)
        case array([UserInfoNode])
        case object([String: UserInfoNode])
    }

    private var content = Content.empty

    /// What was encoded. A type that encodes nothing at all leaves an empty object.
    var value: UserInfoValue {
        switch content {
        case .empty: .object([:])
        case .value(let value): value
        case .array(let nodes): .array(nodes.map(\.value))
        case .object(let nodes): .object(nodes.mapValues(\.value))
        }
    }

    /// How many elements it has as an array.
    var count: Int { if case .array(let nodes) = content { nodes.count } else { 0 } }

    /// Whether this is a place for keyed values now.
    func becomeObject() -> Bool {
        switch content {
        case .empty: content = .object([:])
        case .object: break
        case .value, .array: return false
        }
        return true
    }

    /// Whether this is a place for elements now.
    func becomeArray() -> Bool {
        switch content {
        case .empty: content = .array([])
        case .array: break
        case .value, .object: return false
        }
        return true
    }

    /// Whether `value` could be put here, which nothing was before.
    func set(_ value: UserInfoValue) -> Bool {
        guard case .empty = content else { return false }
        content = .value(value)
        return true
    }

    func child(forKey key: String) -> UserInfoNode? {
        if case .object(let nodes) = content { nodes[key] } else { nil }
    }

    /// Puts a new place under `key`, over what was there.
    func addChild(forKey key: String) -> UserInfoNode {
        let child = UserInfoNode()
        if case .object(var nodes) = content {
            content = .empty  // or the dictionary would be copied
            nodes[key] = child
            content = .object(nodes)
        }
        return child
    }

    func appendChild() -> UserInfoNode {
        let child = UserInfoNode()
        if case .array(var nodes) = content {
            content = .empty  // or the array would be copied
            nodes.append(child)
            content = .array(nodes)
        }
        return child
    }
}
