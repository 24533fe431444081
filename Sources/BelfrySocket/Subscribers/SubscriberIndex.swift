// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle
internal import Varlink

/// The broadcasts to subscribers, by the names that they asked for. Subscribers to the same names share a broadcast.
struct SubscriberIndex {
    /// Nil stands for all names.
    private var broadcasts: [Set<UTF8Text>?: VarlinkBroadcast] = [:]
    /// The broadcasts that want a name. Clients choose these names, so they are hashed with a seed.
    private var interested: [UTF8Text: [VarlinkBroadcast]] = [:]
    /// The result for the last name, as the next one is often the same.
    private var last: (name: LifecycleNotification.Name, broadcasts: [VarlinkBroadcast])?

    /// All broadcasts.
    var all: Dictionary<Set<UTF8Text>?, VarlinkBroadcast>.Values { broadcasts.values }

    /// The broadcast to subscribers of exactly these names.
    subscript(names: Set<UTF8Text>?) -> VarlinkBroadcast? { broadcasts[names] }

    /// The broadcasts that want `name`.
    mutating func broadcasts(wanting name: LifecycleNotification.Name) -> [VarlinkBroadcast] {
        if let last, last.name == name { return last.broadcasts }
        let found = [broadcasts[nil]].compactMap(\.self) + (interested[UTF8Text(name.rawValue)] ?? [])
        last = (name, found)
        return found
    }

    /// Adds the broadcast to subscribers of `names`, which has none yet.
    mutating func add(_ names: Set<UTF8Text>?, _ broadcast: VarlinkBroadcast) {
        broadcasts[names] = broadcast
        for name in names ?? [] { interested[name, default: []].append(broadcast) }
        last = nil
    }

    /// Removes the broadcast to subscribers of `names`.
    mutating func remove(_ names: Set<UTF8Text>?) {
        guard let broadcast = broadcasts.removeValue(forKey: names) else { return }
        for name in names ?? [] {
            interested[name]?.removeAll { $0 === broadcast }
            if interested[name]?.isEmpty == true { interested[name] = nil }
        }
        last = nil
    }
}
