// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// A cache in memory that removes the least recently used entries first. All operations take constant time, except those that
/// give memory back.
///
///     let thumbnails = LRUCache<String, Image>(limit: 64 << 20)
///     service.addCache(thumbnails)
///     thumbnails.insert(image, for: path, cost: image.bytes)
public final class LRUCache<Key: Hashable, Value>: FlushableCache {
    private struct Entry {
        let key: Key
        var value: Value
        var cost: Int
        /// The places of the neighbours, by use; `none` at the ends.
        var older: Int
        var newer: Int
    }

    /// The most that all entries together may cost.
    public let limit: Int
    /// What all entries together cost.
    public private(set) var cost = 0

    private static var none: Int { -1 }
    private var places: [Key: Int] = [:]
    private var entries: [Entry?] = []
    private var freePlaces: [Int] = []
    private var oldest = LRUCache.none
    private var newest = LRUCache.none

    /// An empty cache.
    ///
    /// - Parameter limit: the most that all entries together may cost: their number, unless `insert` is given other costs,
    ///   such as bytes.
    public init(limit: Int) { self.limit = max(limit, 0) }

    /// The number of entries.
    public var count: Int { places.count }

    /// Finds a value, which counts as a use. Setting a value inserts it with a cost of 1, and nil removes the entry.
    public subscript(key: Key) -> Value? {
        get {
            guard let place = places[key], let value = entries[place]?.value else { return nil }
            unlink(place)
            link(place)
            return value
        }
        set { if let newValue { insert(newValue, for: key) } else { remove(key) } }
    }

    /// Inserts or replaces a value, and removes the least recently used ones until the limit is kept. A value that costs more
    /// than the limit is not stored.
    public func insert(_ value: Value, for key: Key, cost: Int = 1) {
        precondition(cost >= 0, "a cost cannot be negative")
        remove(key)
        guard cost <= limit else { return }
        removeOldest(until: limit - cost)
        let entry = Entry(key: key, value: value, cost: cost, older: Self.none, newer: Self.none)
        let place = freePlaces.popLast() ?? entries.count
        if place == entries.count { entries.append(entry) } else { entries[place] = entry }
        places[key] = place
        self.cost += cost
        link(place)
    }

    /// Removes an entry, if there is one.
    public func remove(_ key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        unlink(place)
        cost -= entries[place]?.cost ?? 0
        entries[place] = nil
        freePlaces.append(place)
    }

    /// Gives memory back: with `some` the least recently used half by cost, with `full` everything.
    public func flush(_ level: MemoryWarning.Level) {
        removeOldest(until: level == .full ? 0 : cost / 2)
        if level == .full {
            // Entries that cost nothing.
            while oldest != Self.none { removeOldest() }
        }
        compact()
    }

    private func removeOldest(until cost: Int) {
        while self.cost > cost, oldest != Self.none { removeOldest() }
    }

    private func removeOldest() {
        guard let entry = entries[oldest] else { return }
        remove(entry.key)
    }

    /// Moves the entries into storage of the right size, since arrays and dictionaries do not shrink by themselves.
    private func compact() {
        var kept: [Entry] = []
        kept.reserveCapacity(places.count)
        var place = oldest
        while place != Self.none, let entry = entries[place] {
            kept.append(entry)
            place = entry.newer
        }
        (places, entries, freePlaces, oldest, newest) = ([:], [], [], Self.none, Self.none)
        places.reserveCapacity(kept.count)
        entries.reserveCapacity(kept.count)
        for (place, entry) in kept.enumerated() {
            places[entry.key] = place
            entries.append(entry)
            link(place)
        }
    }

    /// Makes an entry the newest.
    private func link(_ place: Int) {
        entries[place]?.older = newest
        entries[place]?.newer = Self.none
        if newest == Self.none { oldest = place } else { entries[newest]?.newer = place }
        newest = place
    }

    private func unlink(_ place: Int) {
        guard let entry = entries[place] else { return }
        if entry.older == Self.none { oldest = entry.newer } else { entries[entry.older]?.newer = entry.newer }
        if entry.newer == Self.none { newest = entry.older } else { entries[entry.newer]?.older = entry.older }
    }
}
