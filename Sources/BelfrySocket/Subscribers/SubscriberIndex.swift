// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle
internal import Varlink

/// Those who follow the service, by what they asked for: who asked for the same is written to together.
struct SubscriberIndex {
    /// Nil stands for all names.
    private var broadcasts: [Set<UTF8Text>?: VarlinkBroadcast] = [:]
    /// Those who asked for a name. Strangers choose these names, so that they are hashed with a seed.
    private var interested: [UTF8Text: [VarlinkBroadcast]] = [:]
    /// What was found for the last name; the next one is mostly the same.
    private var last: (name: LifecycleNotification.Name, broadcasts: [VarlinkBroadcast])?

    /// All of them.
    var all: Dictionary<Set<UTF8Text>?, VarlinkBroadcast>.Values { broadcasts.values }

    /// Those who asked for exactly these.
    subscript(names: Set<UTF8Text>?) -> VarlinkBroadcast? { broadcasts[names] }

    /// Those who want to know of `name`.
    mutating func broadcasts(wanting name: LifecycleNotification.Name) -> [VarlinkBroadcast] {
        if let last, last.name == name { return last.broadcasts }
        let found = [broadcasts[nil]].compactMap(\.self) + (interested[UTF8Text(name.rawValue)] ?? [])
        last = (name, found)
        return found
    }

    /// Adds those who ask for `names`, of whom there are none yet.
    mutating func add(_ names: Set<UTF8Text>?, _ broadcast: VarlinkBroadcast) {
        broadcasts[names] = broadcast
        for name in names ?? [] { interested[name, default: []].append(broadcast) }
        last = nil
    }

    /// Forgets those who asked for `names`.
    mutating func remove(_ names: Set<UTF8Text>?) {
        guard let broadcast = broadcasts.removeValue(forKey: names) else { return }
        for name in names ?? [] {
            interested[name]?.removeAll { $0 === broadcast }
            if interested[name]?.isEmpty == true { interested[name] = nil }
        }
        last = nil
    }
}
