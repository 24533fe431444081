// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The places of the present listeners by name, by type and by rank. A new listener is checked against them without ordering all
/// listeners again.
struct ListenerPlaces {
    private var named: [UTF8Text: ListenerEntry] = [:]
    private var typed: [Int: [ObjectIdentifier: ListenerEntry]] = [:]
    /// How many listeners follow a name or a type, whether it exists or not.
    private var followers: [UTF8Text: Int] = [:]
    private var ranked: [Int: [ObjectIdentifier: ListenerEntry]] = [:]
    private var primary: ListenerEntry?

    /// Whether there is a listener of this name.
    func has(_ name: String) -> Bool { named[UTF8Text(name)] != nil }

    /// The listeners of a name or a type.
    func entries(_ key: String) -> [ListenerEntry] {
        if let type = ListenerKey.number(of: key) { return typed[type].map { Array($0.values) } ?? [] }
        return named[UTF8Text(key)].map { [$0] } ?? []
    }

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
            let all = named.values.inOrderOfAddition + [entry]
            _ = try ListenerOrder(all.map(\.place))
        }
        named[name] = entry
        typed[entry.type, default: [:]][ObjectIdentifier(entry)] = entry
        for followed in place.followedKeys { followers[UTF8Text(followed), default: 0] += 1 }
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
        typed[entry.type]?[ObjectIdentifier(entry)] = nil
        if typed[entry.type]?.isEmpty == true { typed[entry.type] = nil }
        for followed in entry.place.followedKeys {
            let key = UTF8Text(followed)
            let count = (followers[key] ?? 0) - 1
            followers[key] = count > 0 ? count : nil
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
        return !place.isPrimary && place.rank == nil && place.follows.isEmpty && !isFollowed(place)
    }

    private func isFollowed(_ place: ListenerOrder.Place) -> Bool {
        place.keys.contains { followers[UTF8Text($0)] != nil }
    }

    /// Whether a new listener would come after itself, or is primary and follows others.
    private func closesCircle(_ entry: ListenerEntry) -> Bool {
        let place = entry.place
        if place.isPrimary { return !place.follows.isEmpty }
        if place.followedKeys.contains(where: place.isFollowed) { return true }
        let mates = entry.rank.flatMap { ranked[$0] } ?? [:]
        // Others can come after it only by its name, its type or its rank.
        let isFollowed = isFollowed(place)
        guard isFollowed || (entry.rank != nil && !place.follows.isEmpty) else { return false }
        return comesAfter(entry, isFollowed ? Array(mates.values) : [])
    }

    /// Walks along `follows` from the entry and those of its rank, and looks for the entry itself.
    private func comesAfter(_ entry: ListenerEntry, _ mates: [ListenerEntry]) -> Bool {
        var seen: Set<UTF8Text> = []
        var seenRanks: Set<Int> = []
        var waiting = ([entry] + mates).flatMap(\.place.followedKeys)
        while let next = waiting.popLast() {
            if entry.place.isFollowed(by: next) { return true }
            guard seen.insert(UTF8Text(next)).inserted else { continue }
            for followed in entries(next) {
                waiting += followed.place.followedKeys
                guard let rank = followed.rank else { continue }
                if rank == entry.rank { return true }
                guard seenRanks.insert(rank).inserted else { continue }
                for mate in (ranked[rank] ?? [:]).values { waiting += mate.place.followedKeys }
            }
        }
        return false
    }
}
