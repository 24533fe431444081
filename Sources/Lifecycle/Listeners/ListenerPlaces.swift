// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The places of the present listeners by name and by rank. A new listener is checked against them without ordering all
/// listeners again.
struct ListenerPlaces {
    private var named: [UTF8Text: ListenerEntry] = [:]
    /// How many listeners follow a name, whether it exists or not.
    private var followers: [UTF8Text: Int] = [:]
    private var ranked: [Int: [ObjectIdentifier: ListenerEntry]] = [:]
    private var primary: ListenerEntry?

    /// Whether there is a listener of this name.
    func has(_ name: String) -> Bool { named[UTF8Text(name)] != nil }

    /// Adds a listener.
    ///
    /// - Returns: whether its place is the last one and no other listener moves.
    /// - Throws: when the name exists, when listeners would follow each other in a circle, and for a second primary listener.
    mutating func add(_ entry: ListenerEntry) throws(ListenerOrderError) -> Bool {
        let (place, name) = (entry.place, UTF8Text(entry.place.name))
        guard named[name] == nil else { throw .duplicate(place.name) }
        if place.isPrimary, let primary { throw .primaries([primary.place.name, place.name]) }
        if closesCircle(entry) {
            // This throws the error with the names in the circle.
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
    /// - Returns: whether no other listener moves.
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

    /// Whether only the order of registration determines its place.
    private func isApart(_ entry: ListenerEntry) -> Bool {
        let place = entry.place
        return !place.isPrimary && place.rank == nil && place.follows.isEmpty && followers[UTF8Text(place.name)] == nil
    }

    /// Whether a new listener would come after itself, or is primary and follows others.
    private func closesCircle(_ entry: ListenerEntry) -> Bool {
        let place = entry.place
        if place.isPrimary { return !place.follows.isEmpty }
        if place.follows.contains(where: { $0.hasSameBytes(as: place.name) }) { return true }
        let mates = entry.rank.flatMap { ranked[$0] } ?? [:]
        // Others can come after it only by its name or by its rank.
        let isFollowed = followers[UTF8Text(place.name)] != nil
        guard isFollowed || (entry.rank != nil && !place.follows.isEmpty) else { return false }
        return comesAfter(entry, isFollowed ? Array(mates.values) : [])
    }

    /// Walks along `follows` from the entry and those of its rank, and looks for the entry itself.
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
