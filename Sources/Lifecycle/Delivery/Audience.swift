// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who hears of one name.
nonisolated final class Audience {
    let name: LifecycleNotification.Name
    let observers = ObserverList()
    /// Where it is in its table.
    var index: Int
    /// The listeners that answer, in no order.
    private(set) var members: [ObjectIdentifier: ListenerEntry] = [:]
    /// The listeners that answer, group after group; nil when that has to be found out anew.
    @exclusivity(unchecked) private(set) var groups: [[ListenerEntry]]?
    /// What they answer, if all do at once, so that they are told one after the other.
    @exclusivity(unchecked) private(set) var promptAnswers: [PromptAnswer]?
    /// How often that has changed.
    @exclusivity(unchecked) private(set) var revision = 0

    /// Makes ready to call the observers who are here now; nil when there is nobody.
    @inline(__always)
    static func beginCall(_ audience: Unmanaged<Audience>?) -> Int? {
        audience?._withUnsafeGuaranteedRef { $0.observers.isEmpty ? nil : $0.observers.beginCall() }
    }

    /// Calls those who were here when the call began.
    @inline(__always)
    static func call(_ audience: Unmanaged<Audience>, _ notification: LifecycleNotification, upTo count: Int) {
        audience._withUnsafeGuaranteedRef { $0.observers.call(notification, upTo: count) }
    }

    /// Whether it is known that no listener answers.
    @inline(__always)
    static func isWithoutListeners(_ audience: Unmanaged<Audience>) -> Bool {
        audience._withUnsafeGuaranteedRef { $0.groups?.isEmpty == true }
    }

    init(_ name: LifecycleNotification.Name, index: Int) {
        self.name = name
        self.index = index
    }

    /// Whether nobody hears of the name.
    var isEmpty: Bool { members.isEmpty && observers.isEmpty }

    /// Adds a listener that answers, or reads anew what it answers.
    func add(_ entry: ListenerEntry) {
        members[ObjectIdentifier(entry)] = entry
        forgetListeners()
    }

    /// Removes a listener.
    func remove(_ entry: ListenerEntry) {
        members[ObjectIdentifier(entry)] = nil
        forgetListeners()
    }

    /// Notes who answers.
    func setListeners(_ groups: [[ListenerEntry]], _ promptAnswers: [PromptAnswer]?) {
        revision += 1
        self.groups = groups
        self.promptAnswers = promptAnswers
    }

    /// Who answers has to be found out anew.
    func forgetListeners() {
        revision += 1
        groups = nil
        promptAnswers = nil
    }
}

/// The audiences by name: a hash table with open addressing that uses the hash a name carries, and counts no references
/// for a look-up, which so takes a few nanoseconds.
///
/// An audience without listeners and observers is removed, but not while a post may have it in hand: whoever looks one
/// up says so with `beginUse()` and `endUse()`.
nonisolated final class AudienceTable {
    /// Every audience, in no order.
    private(set) var all: ContiguousArray<Audience> = []
    /// A power of two of places, at most half of them taken, each for one of `all`, which keeps it.
    @exclusivity(unchecked)  // nothing calls out while it uses them
    private var places: ContiguousArray<Place> = []
    @exclusivity(unchecked)  // as above
    private var uses = 0
    /// Those that may have to be removed, once nobody has any in hand.
    @exclusivity(unchecked)  // as above
    private var candidates: [Audience] = []

    private struct Place {
        var hash: UInt64 = 0
        var audience: Unmanaged<Audience>?
    }

    /// Keeps every audience until `endUse()`.
    @inline(__always)
    func beginUse() { uses += 1 }

    /// Ends what `beginUse()` began.
    @inline(__always)
    func endUse() {
        uses -= 1
        if uses == 0, !candidates.isEmpty { removeCandidates() }
    }

    /// The audience of a name that has one.
    @inline(__always)
    func find(_ name: LifecycleNotification.Name) -> Unmanaged<Audience>? {
        places.isEmpty ? nil : places[place(of: name)].audience
    }

    /// The audience of a name, made if there is none yet. Whoever asks joins it.
    func audience(of name: LifecycleNotification.Name) -> Audience {
        if let known = find(name) { return known.takeUnretainedValue() }
        if (all.count + 1) * 2 > places.count { resize(to: max(16, places.count * 2)) }
        let made = Audience(name, index: all.count)
        all.append(made)
        places[place(of: name)] = Place(hash: name.hash, audience: .passUnretained(made))
        return made
    }

    /// Somebody has left this one: it is removed if that was the last.
    func removeIfEmpty(_ audience: Audience) {
        candidates.append(audience)
        if uses == 0 { removeCandidates() }
    }

    @inline(__always)
    /// The place where the name is, or where it would be put.
    private func place(of name: LifecycleNotification.Name) -> Int {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: name.hash) & mask
        while let taken = places[place].audience,
            places[place].hash != name.hash || taken._withUnsafeGuaranteedRef({ $0.name.rawValue != name.rawValue })
        {
            place = (place + 1) & mask
        }
        return place
    }

    private func removeCandidates() {
        let left = candidates
        candidates = []
        // One may be there twice.
        for audience in left where audience.isEmpty && audience.index < all.count && all[audience.index] === audience {
            vacate(place(of: audience.name))
            all.swapAt(audience.index, all.count - 1)
            all[audience.index].index = audience.index
            all.removeLast()
        }
        if places.count > 16, all.count * 8 < places.count { resize(to: max(16, places.count / 4)) }
    }

    /// Empties a place, and moves those behind it that were put off by it.
    private func vacate(_ vacated: Int) {
        let mask = places.count - 1
        var gap = vacated
        var next = (gap + 1) & mask
        while places[next].audience != nil {
            let home = Int(truncatingIfNeeded: places[next].hash) & mask
            if (next - home) & mask >= (next - gap) & mask {
                places[gap] = places[next]
                gap = next
            }
            next = (next + 1) & mask
        }
        places[gap] = Place()
    }

    private func resize(to count: Int) {
        places = ContiguousArray(repeating: Place(), count: count)
        for audience in all {
            places[place(of: audience.name)] = Place(hash: audience.name.hash, audience: .passUnretained(audience))
        }
    }
}
