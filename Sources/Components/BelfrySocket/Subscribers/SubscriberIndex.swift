// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle

/// The groups of subscribers, by the names that they asked for.
struct SubscriberIndex {
    private var groups: [Set<UTF8Text>?: SubscriberGroup] = [:]
    /// The group that wants all names, if there is one.
    private(set) var unfiltered: SubscriberGroup?
    /// The other groups that want a name.
    private var interested: [LifecycleNotification.Name: [SubscriberGroup]] = [:]

    /// All groups.
    var all: Dictionary<Set<UTF8Text>?, SubscriberGroup>.Values { groups.values }

    /// The groups of some names that want `name`.
    func filtered(wanting name: LifecycleNotification.Name) -> [SubscriberGroup] { interested[name] ?? [] }

    /// The group that wants exactly these names.
    subscript(names: Set<UTF8Text>?) -> SubscriberGroup? { groups[names] }

    /// Adds a group whose names no other one has.
    mutating func add(_ group: SubscriberGroup) {
        groups[group.names] = group
        if let names = group.names {
            for name in Self.names(names) { interested[name, default: []].append(group) }
        } else {
            unfiltered = group
        }
    }

    /// Removes a group.
    mutating func remove(_ group: SubscriberGroup) {
        groups[group.names] = nil
        guard let names = group.names else { return unfiltered = nil }
        for name in Self.names(names) {
            interested[name]?.removeAll { $0 === group }
            if interested[name]?.isEmpty == true { interested[name] = nil }
        }
    }

    private static func names(_ names: Set<UTF8Text>) -> [LifecycleNotification.Name] {
        names.compactMap { LifecycleNotification.Name($0.string) }
    }
}
