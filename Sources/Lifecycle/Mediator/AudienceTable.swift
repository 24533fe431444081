// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The audiences by name: a hash table with open addressing that uses the hash a name carries, and counts no references
/// for a look-up, which so takes a few nanoseconds. An audience that was made stays.
nonisolated final class AudienceTable {
    /// Every audience, in the order they were made.
    private(set) var all: ContiguousArray<Audience> = []
    /// A power of two of places, at most half of them taken, each for one of `all`, which keeps it.
    @exclusivity(unchecked)  // nothing calls out while it uses them
    private var places: ContiguousArray<Place> = []

    private struct Place {
        var hash: UInt64 = 0
        var audience: Unmanaged<Audience>?
    }

    /// The audience of a name that has one.
    @inline(__always)
    func find(_ name: LifecycleNotification.Name) -> Unmanaged<Audience>? {
        places.isEmpty ? nil : places[place(of: name)].audience
    }

    /// The audience of a name, made if there is none yet.
    func audience(of name: LifecycleNotification.Name) -> Audience {
        if let known = find(name) { return known.takeUnretainedValue() }
        if (all.count + 1) * 2 > places.count { grow() }
        let made = Audience(name)
        all.append(made)
        places[place(of: name)] = Place(hash: name.hash, audience: .passUnretained(made))
        return made
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

    private func grow() {
        places = ContiguousArray(repeating: Place(), count: max(16, places.count * 2))
        for audience in all {
            places[place(of: audience.name)] = Place(hash: audience.name.hash, audience: .passUnretained(audience))
        }
    }
}
