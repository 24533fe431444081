// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The observers and listeners of one name.
nonisolated final class Recipients {
    let name: LifecycleNotification.Name
    let observers = ObserverList()
    /// Its position in `ObserverIndex.all`.
    var index: Int
    /// The listeners that answer, in no particular order.
    private(set) var members: [ObjectIdentifier: ListenerEntry] = [:]
    /// The listeners that answer, in groups in the order of delivery; nil when that has to be determined again.
    @exclusivity(unchecked) private(set) var groups: [[ListenerEntry]]?
    /// Their answers, if all of them are immediate, in the order of delivery.
    @exclusivity(unchecked) private(set) var immediateAnswers: [ImmediateAnswer]?
    /// Counts the changes of the listeners.
    @exclusivity(unchecked) private(set) var revision = 0

    /// Prepares a call of the present observers; nil when there are none.
    @inline(__always)
    static func beginCall(_ recipients: Unmanaged<Recipients>?) -> Int? {
        recipients?._withUnsafeGuaranteedRef { $0.observers.isEmpty ? nil : $0.observers.beginCall() }
    }

    /// Calls the observers that were present when the call was prepared.
    @inline(__always)
    static func call(_ recipients: Unmanaged<Recipients>, _ notification: LifecycleNotification, upTo count: Int) {
        recipients._withUnsafeGuaranteedRef { $0.observers.call(notification, upTo: count) }
    }

    /// Whether no listener is known to answer.
    @inline(__always)
    static func isWithoutListeners(_ recipients: Unmanaged<Recipients>) -> Bool {
        recipients._withUnsafeGuaranteedRef { $0.groups?.isEmpty == true }
    }

    init(_ name: LifecycleNotification.Name, index: Int) {
        self.name = name
        self.index = index
    }

    /// Whether the name has neither listeners nor observers.
    var isEmpty: Bool { members.isEmpty && observers.isEmpty }

    /// Adds a listener, or registers a change of its answers.
    func add(_ entry: ListenerEntry) {
        members[ObjectIdentifier(entry)] = entry
        forgetListeners()
    }

    /// Removes a listener.
    func remove(_ entry: ListenerEntry) {
        members[ObjectIdentifier(entry)] = nil
        forgetListeners()
    }

    /// Stores the listeners in their order.
    func setListeners(_ groups: [[ListenerEntry]], _ immediateAnswers: [ImmediateAnswer]?) {
        revision += 1
        self.groups = groups
        self.immediateAnswers = immediateAnswers
    }

    /// Has the order of the listeners determined again.
    func forgetListeners() {
        revision += 1
        groups = nil
        immediateAnswers = nil
    }
}

/// Finds the recipients of a name: a hash table with open addressing that uses the hash a name carries. A look-up takes
/// a few nanoseconds, since it counts no references.
///
/// A name without recipients is removed, but not while a post may use what it has found: each look-up that is followed by
/// calls stands between `beginUse()` and `endUse()`.
nonisolated final class ObserverIndex {
    /// All entries, in no particular order.
    private(set) var all: ContiguousArray<Recipients> = []
    /// The table: a power of two, at most half full. `all` owns the entries.
    @exclusivity(unchecked)  // nothing calls out while it uses them
    private var places: ContiguousArray<Place> = []
    @exclusivity(unchecked)  // as above
    private var uses = 0
    /// Entries that may have to be removed when the last use has ended.
    @exclusivity(unchecked)  // as above
    private var candidates: [Recipients] = []

    private struct Place {
        var hash: UInt64 = 0
        var recipients: Unmanaged<Recipients>?
    }

    /// Keeps every entry until `endUse()`.
    @inline(__always)
    func beginUse() { uses += 1 }

    /// Ends what `beginUse()` began.
    @inline(__always)
    func endUse() {
        uses -= 1
        if uses == 0, !candidates.isEmpty { removeCandidates() }
    }

    /// The recipients of a name that has one.
    @inline(__always)
    func find(_ name: LifecycleNotification.Name) -> Unmanaged<Recipients>? {
        places.isEmpty ? nil : places[place(of: name)].recipients
    }

    /// The recipients of a name; a new entry if it has none yet. The caller adds an
    /// observer or a listener to it.
    func recipients(of name: LifecycleNotification.Name) -> Recipients {
        if let known = find(name) { return known.takeUnretainedValue() }
        if (all.count + 1) * 2 > places.count { resize(to: max(16, places.count * 2)) }
        let made = Recipients(name, index: all.count)
        all.append(made)
        places[place(of: name)] = Place(hash: name.hash, recipients: .passUnretained(made))
        return made
    }

    /// Removes an entry if it has become empty.
    func removeIfEmpty(_ recipients: Recipients) {
        candidates.append(recipients)
        if uses == 0 { removeCandidates() }
    }

    @inline(__always)
    /// The place of a name, or the free place where it would be put.
    private func place(of name: LifecycleNotification.Name) -> Int {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: name.hash) & mask
        while let taken = places[place].recipients,
            places[place].hash != name.hash || taken._withUnsafeGuaranteedRef({ $0.name.rawValue != name.rawValue })
        {
            place = (place + 1) & mask
        }
        return place
    }

    private func removeCandidates() {
        let left = candidates
        candidates = []
        // An entry may be a candidate twice.
        for entry in left where entry.isEmpty && entry.index < all.count && all[entry.index] === entry {
            vacate(place(of: entry.name))
            all.swapAt(entry.index, all.count - 1)
            all[entry.index].index = entry.index
            all.removeLast()
        }
        if places.count > 16, all.count * 8 < places.count { resize(to: max(16, places.count / 4)) }
    }

    /// Empties a place, and moves back the entries that it had displaced.
    private func vacate(_ vacated: Int) {
        let mask = places.count - 1
        var gap = vacated
        var next = (gap + 1) & mask
        while places[next].recipients != nil {
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
        for entry in all {
            places[place(of: entry.name)] = Place(hash: entry.name.hash, recipients: .passUnretained(entry))
        }
    }
}
