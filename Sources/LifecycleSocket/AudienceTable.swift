// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// Those who follow the service, by what they asked for: who asked for the same is written to together.
struct AudienceTable {
    /// Nil stands for all names.
    private var broadcasts: [Set<String>?: VarlinkBroadcast] = [:]
    /// Those who asked for a name. Strangers choose these names, so that they are hashed with a seed.
    private var interested: [String: [VarlinkBroadcast]] = [:]
    /// What was found for the last name; the next one is mostly the same.
    private var last: (name: LifecycleNotification.Name, broadcasts: [VarlinkBroadcast])?

    /// All of them.
    var all: Dictionary<Set<String>?, VarlinkBroadcast>.Values { broadcasts.values }

    /// Those who asked for exactly these.
    subscript(names: Set<String>?) -> VarlinkBroadcast? { broadcasts[names] }

    /// Those who want to know of `name`.
    mutating func broadcasts(wanting name: LifecycleNotification.Name) -> [VarlinkBroadcast] {
        if let last, last.name == name { return last.broadcasts }
        let found = [broadcasts[nil]].compactMap(\.self) + (interested[name.rawValue] ?? [])
        last = (name, found)
        return found
    }

    /// Adds those who ask for `names`, of whom there are none yet.
    mutating func add(_ names: Set<String>?, _ broadcast: VarlinkBroadcast) {
        broadcasts[names] = broadcast
        for name in names ?? [] { interested[name, default: []].append(broadcast) }
        last = nil
    }

    /// Forgets those who asked for `names`.
    mutating func remove(_ names: Set<String>?) {
        guard let broadcast = broadcasts.removeValue(forKey: names) else { return }
        for name in names ?? [] {
            interested[name]?.removeAll { $0 === broadcast }
            if interested[name]?.isEmpty == true { interested[name] = nil }
        }
        last = nil
    }
}
