// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The listeners of a mediator, and the order in which they are called for each name.
///
/// The order, and the listeners of a name, are determined on first use. A listener is compared with all others when it
/// is added only if it may follow itself by way of them.
final class ListenerRegistry {
    private var entries: [ObjectIdentifier: ListenerEntry] = [:]
    private var names: Set<UTF8Text> = []
    /// What listeners follow, or have followed before they were removed.
    private var followed: Set<UTF8Text> = []
    /// The order; nil when it has to be determined again.
    private var order: [[ListenerEntry]]?
    private var added = 0
    /// Counts the changes of the listeners and of their answers.
    private(set) var revision = 0
    /// The recipients of each name that is answered or observed.
    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var recipients: [LifecycleNotification.Name: Recipients] = [:]

    /// Adds a listener, or throws and changes nothing.
    func add(_ listener: any LifecycleListener, _ role: ListenerRole = .ordinary) throws(ListenerOrderError) {
        let entry = try ListenerEntry(listener, role, number: added)
        let place = entry.place
        guard entries[ObjectIdentifier(listener)] == nil, !names.contains(UTF8Text(place.name)) else {
            throw .duplicate(place.name)
        }
        if mayCloseCircle(place) {
            _ = try ListenerOrder(entries.values.inOrderOfAddition.map(\.place) + [place])
        }
        added += 1
        entries[ObjectIdentifier(listener)] = entry
        names.insert(UTF8Text(place.name))
        if place.isPlain, !isFollowed(place) { append(entry) } else { order = nil }
        followed.formUnion(place.follows.map { UTF8Text($0) })
        join(entry)
    }

    /// Removes a listener, also from a delivery under way.
    func remove(_ listener: any LifecycleListener) {
        // The entry is released last: releasing what its answers held may remove other listeners.
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(listener)) else { return }
        defer { withExtendedLifetime(entry) {} }
        entry.remove()
        names.remove(UTF8Text(entry.place.name))
        order = nil
        leave(entry.interests)
    }

    func updateAnswers(of listener: any LifecycleListener) throws(ListenerOrderError) {
        guard let entry = entries[ObjectIdentifier(listener)] else { return }
        let before = entry.interests
        let former = try entry.readAnswers()
        defer { withExtendedLifetime(former) {} }
        join(entry)
        leave(before)
    }

    /// Whether there is a listener of this name.
    func hasListener(named name: String) -> Bool { names.contains(UTF8Text(name)) }

    /// What the listener of this name answers; nil if there is none.
    func interests(ofListenerNamed name: String) -> [LifecycleNotification.Name]? {
        entries.values.first { $0.place.name.hasSameBytes(as: name) }?.interests
    }

    /// The listeners that follow a name that no listener has.
    var unknownFollowed: [(listener: String, name: String)] {
        let places = inOrder.joined().map(\.place)
        guard places.contains(where: { !$0.follows.isEmpty }) else { return [] }
        let known = Set(places.compactMap(\.key).map { UTF8Text($0) })
        return places.flatMap { place in
            place.follows.filter { !known.contains(UTF8Text($0)) }.map { (place.name, $0) }
        }
    }

    // MARK: Recipients

    /// The recipients of a name that has any.
    func find(_ name: LifecycleNotification.Name) -> Recipients? { recipients[name] }

    /// The recipients of a name. The caller adds an observer or a listener to them.
    func recipients(of name: LifecycleNotification.Name) -> Recipients {
        if let known = find(name) { return known }
        let made = Recipients(name)
        recipients[name] = made
        return made
    }

    /// Removes a name if it has no recipients any more.
    func removeIfEmpty(_ emptied: Recipients) {
        guard emptied.isEmpty, find(emptied.name) === emptied else { return }
        recipients[emptied.name] = nil
    }

    /// The recipients, if any listener answers. They may have been found before the observers were called, which may
    /// have added or removed listeners.
    func answering(_ found: Recipients?, _ name: LifecycleNotification.Name) -> Recipients? {
        if let found, !found.isEmpty { return answering(found) }
        return find(name).flatMap(answering)
    }

    private func answering(_ recipients: Recipients) -> Recipients? {
        guard recipients.listenerCount > 0 else { return nil }
        if recipients.revision != revision { setListeners(of: recipients) }
        return recipients
    }

    /// The listeners that answer `name`, in the order of delivery.
    func calls(of name: LifecycleNotification.Name) -> [DueCall] { answering(nil, name)?.calls ?? [] }

    private func setListeners(of recipients: Recipients) {
        let name = recipients.name
        let arriving = inOrder.map { $0.filter { $0.answer(to: name) != nil } }.filter { !$0.isEmpty }
        let groups = name.isLeaving ? arriving.reversed() : arriving
        let calls = groups.enumerated().flatMap { group, members in
            members.map { DueCall($0, to: name, group: group) }
        }
        recipients.setListeners(calls, revision: revision)
    }

    // MARK: Order

    /// All listeners in the order of arriving notifications.
    private var inOrder: [[ListenerEntry]] {
        if let order { return order }
        let all = entries.values.inOrderOfAddition
        // No listener was added that contradicts the others.
        let found = (try? ListenerOrder(all.map(\.place)).groups) ?? all.indices.map { [$0] }
        let order = found.map { $0.map { all[$0] } }
        self.order = order
        followed = Set(all.flatMap(\.place.follows).map { UTF8Text($0) })
        return order
    }

    /// Adds a listener to an order that is known, before the outermost one.
    private func append(_ entry: ListenerEntry) {
        guard let order else { return }
        let isLast = order.last?.first?.place.role != .outermost
        self.order?.insert([entry], at: isLast ? order.count : order.count - 1)
    }

    private func isFollowed(_ place: ListenerOrder.Place) -> Bool {
        place.key.map { followed.contains(UTF8Text($0)) } ?? false
    }

    /// Whether a new listener may come after itself. Others come after it only by its name or its rank.
    private func mayCloseCircle(_ place: ListenerOrder.Place) -> Bool {
        place.role == .primary || isFollowed(place)
            || !place.follows.isEmpty && (place.rank != nil || place.follows.contains(where: place.isFollowed))
    }

    private func join(_ entry: ListenerEntry) {
        revision += 1
        for name in entry.interests { recipients(of: name).listenerCount += 1 }
    }

    private func leave(_ names: [LifecycleNotification.Name]) {
        revision += 1
        for name in names {
            guard let left = find(name) else { continue }
            left.listenerCount -= 1
            // A name with observers stays, and must not retain a listener that was removed.
            left.setListeners([], revision: -1)
            removeIfEmpty(left)
        }
    }

    // MARK: What is known

    func statuses(deadline: Duration) -> [ListenerStatus] {
        inOrder.joined().enumerated().map { $1.status(order: $0, deadline: deadline) }
    }

    /// Whether a launch needs any of the listeners.
    var hasRequired: Bool { entries.values.contains { $0.listener.isRequired } }

    /// The unhealthy listeners.
    var unhealthy: [ListenerHealthReport] {
        inOrder.joined().compactMap { entry in
            let health = entry.listener.health
            return health == .healthy ? nil : ListenerHealthReport(listener: entry.place.name, health: health)
        }
    }

    /// The first listener of this type.
    func listener<Listener: LifecycleListener>(_ type: Listener.Type) -> Listener? {
        entries.values.lazy.compactMap { $0.listener as? Listener }.first
    }

    /// The listeners, in no order.
    var listeners: [any LifecycleListener] { entries.values.map(\.listener) }

    /// The primary listener.
    var primary: (any LifecycleListener)? { entries.values.first { $0.place.role == .primary }?.listener }

    /// The listeners with restorable state, including the leaves of composites.
    var restorable: [any RestorableListener] { inOrder.joined().flatMap { $0.listener.restorable } }

    /// Every name that any listener answers, once.
    var interests: [LifecycleNotification.Name] {
        var seen: Set<LifecycleNotification.Name> = []
        return inOrder.joined().flatMap(\.interests).filter { seen.insert($0).inserted }
    }

    /// The answers that offer actions.
    var actionAnswers: [LifecycleAnswer] { inOrder.joined().flatMap(\.actionAnswers) }

    var actions: [LifecycleAction] { inOrder.joined().flatMap(\.actions) }
}
