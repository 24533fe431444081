// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The places of the listeners that are there, by name and by rank, so that one more can be checked against them without
/// putting all of them in order.
struct ListenerPlaces {
    private var named: [UTF8Text: ListenerEntry] = [:]
    /// How many follow a name, whether anybody has it or not.
    private var followers: [UTF8Text: Int] = [:]
    private var ranked: [Int: [ObjectIdentifier: ListenerEntry]] = [:]
    private var primary: ListenerEntry?

    /// Whether there is a listener of this name.
    func has(_ name: String) -> Bool { named[UTF8Text(name)] != nil }

    /// Adds a listener.
    ///
    /// - Returns: whether its place is the last one and those of the others stay what they are.
    /// - Throws: when the name is taken, when it contradicts others, or when it would be the second primary one.
    mutating func add(_ entry: ListenerEntry) throws(ListenerOrderError) -> Bool {
        let (place, name) = (entry.place, UTF8Text(entry.place.name))
        guard named[name] == nil else { throw .duplicate(place.name) }
        if place.isPrimary, let primary { throw .primaries([primary.place.name, place.name]) }
        if closesCircle(entry) {
            // This names those that are in the circle.
            let all = named.values.sorted { $0.number < $1.number } + [entry]
            _ = try ListenerOrder(all.map(\.place))
        }
        named[name] = entry
        for followed in place.follows { followers[UTF8Text(followed), default: 0] += 1 }
        if let rank = entry.rank { ranked[rank, default: [:]][ObjectIdentifier(entry)] = entry }
        if place.isPrimary { primary = entry }
        return isApart(entry)
    }

    /// Removes a listener.
    ///
    /// - Returns: whether the places of the others stay what they are.
    mutating func remove(_ entry: ListenerEntry) -> Bool {
        let isApart = isApart(entry)
        named[UTF8Text(entry.place.name)] = nil
        for followed in entry.place.follows {
            let name = UTF8Text(followed)
            let count = (followers[name] ?? 0) - 1
            followers[name] = count > 0 ? count : nil
        }
        if let rank = entry.rank {
            ranked[rank]?[ObjectIdentifier(entry)] = nil
            if ranked[rank]?.isEmpty == true { ranked[rank] = nil }
        }
        if entry === primary { primary = nil }
        return isApart
    }

    /// Whether nothing but the order of registration says where it stands.
    private func isApart(_ entry: ListenerEntry) -> Bool {
        let place = entry.place
        return !place.isPrimary && place.rank == nil && place.follows.isEmpty && followers[UTF8Text(place.name)] == nil
    }

    /// Whether one that is not there yet would come after itself, or is a primary one that follows others.
    private func closesCircle(_ entry: ListenerEntry) -> Bool {
        let place = entry.place
        if place.isPrimary { return !place.follows.isEmpty }
        if place.follows.contains(where: { $0.hasSameBytes(as: place.name) }) { return true }
        let mates = entry.rank.flatMap { ranked[$0] } ?? [:]
        // Nobody comes after it yet, unless by its name or by its rank.
        let isFollowed = followers[UTF8Text(place.name)] != nil
        guard isFollowed || (entry.rank != nil && !place.follows.isEmpty) else { return false }
        return comesAfter(entry, isFollowed ? Array(mates.values) : [])
    }

    /// Goes from whom the entry and its mates follow to whom those follow, and on.
    private func comesAfter(_ entry: ListenerEntry, _ mates: [ListenerEntry]) -> Bool {
        var seen: Set<UTF8Text> = []
        var seenRanks: Set<Int> = []
        var waiting = ([entry] + mates).flatMap(\.place.follows)
        while let next = waiting.popLast() {
            let name = UTF8Text(next)
            if name == UTF8Text(entry.place.name) { return true }
            guard seen.insert(name).inserted, let followed = named[name] else { continue }
            waiting += followed.place.follows
            guard let rank = followed.rank else { continue }
            if rank == entry.rank { return true }
            guard seenRanks.insert(rank).inserted else { continue }
            for mate in (ranked[rank] ?? [:]).values { waiting += mate.place.follows }
        }
        return false
    }
}
