// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// In which order listeners are told: a pure value that decides it from what they declare.
///
/// The order is that of registration. Listeners of the same rank stand together, at the place of the first of them, and
/// are told concurrently. Whoever names others to follow comes after them. The primary one comes first.
public nonisolated struct ListenerOrder: Sendable, Equatable {
    /// What one listener declares of its place.
    public struct Place: Sendable, Equatable {
        /// The listener's name.
        public var name: String
        /// Listeners of one rank are told concurrently; nil for one that is told alone.
        public var rank: Int?
        /// Names of listeners that are told before it. One that is not there is not waited for.
        public var follows: [String]
        /// Whether it comes before all others.
        public var isPrimary: Bool

        /// A place, by default that of registration.
        public init(_ name: String, rank: Int? = nil, follows: [String] = [], isPrimary: Bool = false) {
            self.name = name
            self.rank = rank
            self.follows = follows
            self.isPrimary = isPrimary
        }
    }

    /// The positions of the places that were given: groups one after the other, the members of a group together.
    public let groups: [[Int]]

    /// Orders places that are given in the order of registration.
    ///
    /// - Throws: `ListenerOrderError` when they contradict each other.
    public init(_ places: [Place]) throws(ListenerOrderError) {
        let primaries = places.filter(\.isPrimary).map(\.name)
        guard primaries.count <= 1 else { throw .primaries(primaries) }
        var groups = Self.byRank(places)
        if let primary = places.firstIndex(where: \.isPrimary) {
            guard places[primary].follows.isEmpty else {
                throw .cycle([places[primary].name, places[primary].follows[0]])
            }
            groups.removeAll { $0.contains(primary) }
            groups.insert([primary], at: 0)
        }
        self.groups = try Self.sorted(groups, places)
    }

    private static func byRank(_ places: [Place]) -> [[Int]] {
        var groups: [[Int]] = []
        var groupOfRank: [Int: Int] = [:]
        for (index, place) in places.enumerated() {
            if let rank = place.rank, let group = groupOfRank[rank], !place.isPrimary {
                groups[group].append(index)
            } else {
                if let rank = place.rank, !place.isPrimary { groupOfRank[rank] = groups.count }
                groups.append([index])
            }
        }
        return groups
    }

    /// Takes, again and again, the first group whose members follow nobody that is still to come.
    private static func sorted(_ groups: [[Int]], _ places: [Place]) throws(ListenerOrderError) -> [[Int]] {
        var groupOfName: [String: Set<Int>] = [:]
        for (group, members) in groups.enumerated() {
            for member in members { groupOfName[places[member].name, default: []].insert(group) }
        }
        let needs = groups.map { members in
            members.reduce(into: Set<Int>()) { needs, member in
                for name in places[member].follows { needs.formUnion(groupOfName[name] ?? []) }
            }
        }
        var rest = Array(groups.indices)
        var sorted: [[Int]] = []
        while !rest.isEmpty {
            let waiting = Set(rest)
            guard let next = rest.firstIndex(where: { needs[$0].isDisjoint(with: waiting) }) else {
                throw .cycle(cycle(in: waiting, needs).flatMap { group in groups[group].map { places[$0].name } })
            }
            sorted.append(groups[rest.remove(at: next)])
        }
        return sorted
    }

    /// Every group in `waiting` needs another one there, so that following the needs must come round.
    private static func cycle(in waiting: Set<Int>, _ needs: [Set<Int>]) -> [Int] {
        var path: [Int] = []
        var group = waiting.min()
        while let current = group {
            if let start = path.firstIndex(of: current) { return Array(path[start...]) }
            path.append(current)
            group = needs[current].intersection(waiting).min()
        }
        return path
    }
}
