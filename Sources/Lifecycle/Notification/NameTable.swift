// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Values by the name of a notification: a hash table with open addressing that uses the hash a name carries, so that
/// a look-up takes a few nanoseconds. Names are added and never removed one by one.
nonisolated struct NameTable<Value> {
    /// A power of two of places, at most half of them taken.
    private var places: ContiguousArray<(name: LifecycleNotification.Name, value: Value)?> = []
    private var count = 0

    /// The value of a name; nil when it has none.
    subscript(name: LifecycleNotification.Name) -> Value? {
        guard !places.isEmpty else { return nil }
        return places[place(of: name)]?.value
    }

    /// Sets the value of a name.
    mutating func set(_ name: LifecycleNotification.Name, _ value: Value) {
        if (count + 1) * 2 > places.count { grow() }
        let place = place(of: name)
        if places[place] == nil { count += 1 }
        places[place] = (name, value)
    }

    /// The place where the name is, or where it would be put.
    private func place(of name: LifecycleNotification.Name) -> Int {
        let mask = places.count - 1
        var place = Int(truncatingIfNeeded: name.hash) & mask
        while let taken = places[place], taken.name != name { place = (place + 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = places
        places = ContiguousArray(repeating: nil, count: max(16, old.count * 2))
        for case let taken? in old { places[place(of: taken.name)] = taken }
    }
}
