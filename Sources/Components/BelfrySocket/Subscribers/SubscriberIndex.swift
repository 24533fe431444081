// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Lifecycle
internal import Varlink

/// The broadcasts to subscribers, by the names that they asked for. Subscribers to the same names share a broadcast.
struct SubscriberIndex {
    /// Nil stands for all names.
    private var broadcasts: [Set<UTF8Text>?: VarlinkBroadcast] = [:]
    /// The broadcast to subscribers of all names, if there is one.
    private(set) var unfiltered: [VarlinkBroadcast] = []
    /// The other broadcasts that want a name.
    private var interested: [LifecycleNotification.Name: [VarlinkBroadcast]] = [:]

    /// All broadcasts.
    var all: Dictionary<Set<UTF8Text>?, VarlinkBroadcast>.Values { broadcasts.values }

    /// The broadcast to subscribers of exactly these names.
    subscript(names: Set<UTF8Text>?) -> VarlinkBroadcast? { broadcasts[names] }

    /// The broadcasts to subscribers of some names that want `name`.
    func filtered(wanting name: LifecycleNotification.Name) -> [VarlinkBroadcast] { interested[name] ?? [] }

    /// Adds the broadcast to subscribers of `names`, which has none yet.
    mutating func add(_ names: Set<UTF8Text>?, _ broadcast: VarlinkBroadcast) {
        broadcasts[names] = broadcast
        guard let names else { return unfiltered = [broadcast] }
        for name in Self.names(names) { interested[name, default: []].append(broadcast) }
    }

    /// Removes the broadcast to subscribers of `names`.
    mutating func remove(_ names: Set<UTF8Text>?) {
        guard let broadcast = broadcasts.removeValue(forKey: names) else { return }
        guard let names else { return unfiltered = [] }
        for name in Self.names(names) {
            interested[name]?.removeAll { $0 === broadcast }
            if interested[name]?.isEmpty == true { interested[name] = nil }
        }
    }

    private static func names(_ names: Set<UTF8Text>) -> [LifecycleNotification.Name] {
        names.compactMap { LifecycleNotification.Name($0.string) }
    }
}
