// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The order in which listeners are called: a pure value, computed from their declarations.
///
/// The order is that of registration. Listeners of the same rank form a group at the place of the first of them, and
/// are called concurrently. A listener comes after those it follows. The primary listener comes first, the outermost
/// one last.
package nonisolated struct ListenerOrder: Sendable {
    /// The declarations of one listener about its place.
    package struct Place: Sendable {
        /// The listener's name.
        package let name: String
        /// Listeners of one rank are called concurrently; nil for one that is called alone.
        package let rank: Int?
        /// The listeners that are called before it. Those that do not exist have no effect.
        package let follows: [String]
        /// How it was added.
        package let role: ListenerRole

        /// A place, by default that of registration.
        package init(_ name: String, rank: Int? = nil, follows: [String] = [], _ role: ListenerRole = .ordinary) {
            self.name = name
            self.rank = rank
            self.follows = follows
            self.role = role
        }

        /// The name that others follow it by; nil for the outermost one.
        var key: String? { role == .outermost ? nil : name }

        /// Whether it declares nothing, so that its place is that of its registration.
        var isPlain: Bool { role == .ordinary && rank == nil && follows.isEmpty }

        /// Whether others follow it by this key.
        func isFollowed(by key: String) -> Bool { self.key?.hasSameBytes(as: key) ?? false }
    }

    /// The indexes of the given places, in groups.
    package let groups: [[Int]]

    /// Orders places that are given in the order of registration.
    ///
    /// - Throws: `ListenerOrderError` when they contradict each other.
    package init(_ places: [Place]) throws(ListenerOrderError) {
        let primaries = places.filter { $0.role == .primary }
        guard primaries.count <= 1 else { throw .primaries(primaries.map(\.name)) }
        if let primary = primaries.first, let followed = primary.follows.first {
            throw .cycle([primary.name, followed])
        }
        groups = try Self.sorted(Self.byRank(places), places)
    }

    /// The groups in the order of their first members, except that the primary listener is the first group and the
    /// outermost one the last.
    private static func byRank(_ places: [Place]) -> [[Int]] {
        var groups = places.indices.filter { places[$0].role == .primary }.map { [$0] }
        var groupOfRank: [Int: Int] = [:]
        for (index, place) in places.enumerated() where place.role == .ordinary {
            if let rank = place.rank, let group = groupOfRank[rank] {
                groups[group].append(index)
            } else {
                if let rank = place.rank { groupOfRank[rank] = groups.count }
                groups.append([index])
            }
        }
        return groups + places.indices.filter { places[$0].role == .outermost }.map { [$0] }
    }

    /// Repeatedly takes the first group whose members follow no group that is still to come.
    private static func sorted(_ groups: [[Int]], _ places: [Place]) throws(ListenerOrderError) -> [[Int]] {
        guard places.contains(where: { !$0.follows.isEmpty }) else { return groups }
        let needs = needs(of: groups, places)
        var missing = needs.map(\.count)
        var followers = [[Int]](repeating: [], count: groups.count)
        for (group, needed) in needs.enumerated() { for other in needed { followers[other].append(group) } }
        // The first one is last.
        var ready = Array(groups.indices.reversed().filter { missing[$0] == 0 })
        var sorted: [[Int]] = []
        while let next = ready.popLast() {
            sorted.append(groups[next])
            for follower in followers[next] { missing[follower] -= 1 }
            let freed = followers[next].filter { missing[$0] == 0 }
            if !freed.isEmpty { ready = (ready + freed).sorted(by: >) }
        }
        guard sorted.count == groups.count else {
            let waiting = groups.indices.filter { missing[$0] > 0 }
            throw .cycle(cycle(in: Set(waiting), needs).flatMap { group in groups[group].map { places[$0].name } })
        }
        return sorted
    }

    /// The groups that each group comes after.
    private static func needs(of groups: [[Int]], _ places: [Place]) -> [Set<Int>] {
        var groupsOfKey: [UTF8Text: Set<Int>] = [:]
        for (group, members) in groups.enumerated() {
            for key in members.compactMap({ places[$0].key }) { groupsOfKey[UTF8Text(key), default: []].insert(group) }
        }
        return groups.map { members in
            members.reduce(into: Set<Int>()) { needs, member in
                for key in places[member].follows { needs.formUnion(groupsOfKey[UTF8Text(key)] ?? []) }
            }
        }
    }

    /// Finds a cycle. Every group in `waiting` needs another one in it, so a walk along the needs returns to itself.
    private static func cycle(in waiting: Set<Int>, _ needs: [Set<Int>]) -> [Int] {
        var path: [Int] = []
        var placeInPath: [Int: Int] = [:]
        var group = waiting.min()
        while let current = group {
            if let start = placeInPath[current] { return Array(path[start...]) }
            placeInPath[current] = path.count
            path.append(current)
            group = needs[current].intersection(waiting).min()
        }
        return path
    }
}

/// How a listener was added to a mediator.
package nonisolated enum ListenerRole: Sendable {
    /// Its place is that of registration, unless it declares another.
    case ordinary
    /// It is called first for arriving notifications, and last for leaving ones. There is at most one.
    case primary
    /// It is called last for arriving notifications, also after listeners that are added later, and first for leaving
    /// ones. Others cannot follow it.
    case outermost
}

/// Why a listener cannot be added.
public nonisolated enum ListenerOrderError: Error, Sendable, Equatable, CustomStringConvertible {
    /// These listeners follow each other in a circle. Listeners of one rank may not follow each other.
    case cycle([String])
    /// Another listener has this name.
    case duplicate(String)
    /// More than one primary listener.
    case primaries([String])
    /// A listener declares more than one answer to a notification, or to an action.
    case answers(listener: String, to: String)

    /// The problem, with the names.
    public var description: String {
        switch self {
        case .cycle(let names): "listeners follow each other in a circle: \(names.joined(separator: " -> "))"
        case .duplicate(let name): "there is a listener of this name already: \(name)"
        case .primaries(let names): "more than one primary listener: \(names.joined(separator: ", "))"
        case .answers(let listener, let name): "the listener '\(listener)' declares more than one answer to '\(name)'"
        }
    }
}
