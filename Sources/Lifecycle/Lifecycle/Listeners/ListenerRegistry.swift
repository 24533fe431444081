// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The listeners of a mediator, and the order in which they are called for each name.
///
/// Adding and removing take constant time. The order, and the listeners of a name, are determined on first use.
final class ListenerRegistry {
    private var places = ListenerPlaces()
    private var entries: [ObjectIdentifier: ListenerEntry] = [:]
    /// The order; nil when it has to be determined again. A removed listener leaves an empty group.
    private var order: [[ListenerEntry]]?
    private var emptyGroups = 0
    /// Whether some name has its listeners stored in this order.
    private var isOrderUsed = false
    private var added = 0
    /// The recipients of each name that is answered or observed.
    let observerIndex = ObserverIndex()

    /// Adds a listener, or throws and changes nothing.
    func add(_ listener: any LifecycleListener, isPrimary: Bool) throws(ListenerOrderError) {
        let entry = ListenerEntry(listener, isPrimary: isPrimary, number: added)
        guard entries[ObjectIdentifier(listener)] == nil else { throw .duplicate(entry.place.name) }
        let isLast = try places.add(entry)
        added += 1
        entries[ObjectIdentifier(listener)] = entry
        if isLast, let last = order?.count {
            entry.group = last
            order?.append([entry])
        } else {
            forgetOrder()
        }
        join(entry)
    }

    /// Removes a listener, also from a delivery under way.
    func remove(_ listener: any LifecycleListener) {
        // The entry is released last: releasing what its answers held may remove other listeners.
        guard let entry = entries.removeValue(forKey: ObjectIdentifier(listener)) else { return }
        defer { withExtendedLifetime(entry) {} }
        entry.isRemoved = true
        if places.remove(entry), order != nil {
            order?[entry.group] = []
            emptyGroups += 1
            if emptyGroups > 16, emptyGroups * 2 > order?.count ?? 0 { forgetOrder() }
        } else {
            forgetOrder()
        }
        leave(entry)
    }

    func updateAnswers(of listener: any LifecycleListener) {
        guard let entry = entries[ObjectIdentifier(listener)] else { return }
        let left = Set(entry.readAnswers()).subtracting(entry.interests)
        join(entry)
        leave(entry, left)
    }

    /// Whether there is a listener of this name.
    func hasListener(named name: String) -> Bool { places.has(name) }

    /// The listeners that follow a name that no listener has.
    var unknownFollowed: [(listener: String, name: String)] {
        var unknown: [(listener: String, name: String)] = []
        for place in inOrder.joined().map(\.place) {
            for (name, key) in zip(place.follows, place.followedKeys) where places.entries(key).isEmpty {
                unknown.append((place.name, name))
            }
        }
        return unknown
    }

    /// The listeners that answer `name`, in groups in the order of delivery.
    func groups(answering name: LifecycleNotification.Name) -> [[ListenerEntry]] {
        // Each name that is answered is in the index.
        guard let recipients = observerIndex.find(name)?.takeUnretainedValue() else { return [] }
        if let known = recipients.groups { return known }
        let arriving = inGroups(recipients.members.values)
        let groups = name.isLeaving ? arriving.reversed() : arriving
        recipients.setListeners(groups, Self.immediateAnswers(of: groups, to: name))
        return groups
    }

    private static func immediateAnswers(
        of groups: [[ListenerEntry]], to name: LifecycleNotification.Name
    ) -> [ImmediateAnswer]? {
        // For these two, who answers depends on the user info and on the answers before.
        guard name != .openURL, name != .performAction else { return nil }
        var answers: [ImmediateAnswer] = []
        for entry in groups.joined() {
            guard case .immediate(let body) = entry.answer(to: name)?.body else { return nil }
            answers.append(ImmediateAnswer(entry: entry, body: body))
        }
        return answers
    }

    /// The recipients, if any listener answers. If the name was not found before the observers were called, it is looked up
    /// again: an observer may have added a listener.
    @inline(__always)
    func answering(_ recipients: Unmanaged<Recipients>?, _ name: LifecycleNotification.Name) -> Recipients? {
        guard let recipients = recipients ?? observerIndex.find(name), !Recipients.isWithoutListeners(recipients) else {
            return nil
        }
        let known = recipients.takeUnretainedValue()
        return known.groups != nil || !groups(answering: name).isEmpty ? known : nil
    }

    // MARK: Order

    /// The members of each group, in the order of arriving notifications.
    private func inGroups(_ members: some Collection<ListenerEntry>) -> [[ListenerEntry]] {
        guard !members.isEmpty else { return [] }
        _ = inOrder
        isOrderUsed = true
        var groups: [[ListenerEntry]] = []
        for entry in members.sorted(by: { ($0.group, $0.number) < ($1.group, $1.number) }) {
            if let last = groups.last?.last, last.group == entry.group {
                groups[groups.count - 1].append(entry)
            } else {
                groups.append([entry])
            }
        }
        return groups
    }

    /// All listeners in the order of arriving notifications.
    private var inOrder: [[ListenerEntry]] {
        if let order { return order }
        let all = entries.values.inOrderOfAddition
        // No listener was added that contradicts the others.
        let found = (try? ListenerOrder(all.map(\.place)).groups) ?? all.indices.map { [$0] }
        let order = found.map { $0.map { all[$0] } }
        for (group, members) in order.enumerated() {
            for entry in members { entry.group = group }
        }
        self.order = order
        emptyGroups = 0
        return order
    }

    private func forgetOrder() {
        order = nil
        guard isOrderUsed else { return }
        isOrderUsed = false
        for recipients in observerIndex.all where recipients.groups?.isEmpty == false { recipients.forgetListeners() }
    }

    private func join(_ entry: ListenerEntry) {
        for name in entry.interests { observerIndex.recipients(of: name).add(entry) }
    }

    private func leave(_ entry: ListenerEntry, _ names: Set<LifecycleNotification.Name>? = nil) {
        for name in names.map(Array.init) ?? entry.interests {
            guard let recipients = observerIndex.find(name)?.takeUnretainedValue() else { continue }
            recipients.remove(entry)
            observerIndex.removeIfEmpty(recipients)
        }
    }

    // MARK: What is known

    func statuses(deadline: Duration) -> [ListenerStatus] {
        inOrder.joined().enumerated().map { $1.status(order: $0, deadline: deadline) }
    }

    /// The unhealthy listeners.
    var unhealthy: [ListenerHealthReport] {
        inOrder.joined().compactMap { entry in
            let health = entry.listener.health
            return health == .healthy ? nil : ListenerHealthReport(listener: entry.place.name, health: health)
        }
    }

    /// The time that these groups want for a name together.
    static func time(
        of groups: some Sequence<[ListenerEntry]>, for name: LifecycleNotification.Name, unless deadline: Duration
    ) -> Duration {
        groups.reduce(.zero) { sum, group in
            sum + (group.map { $0.time(for: name, unless: deadline) }.max() ?? .zero)
        }
    }

    /// The listeners with restorable state, including the leaves of composites.
    var restorable: [any RestorableListener] {
        inOrder.joined().flatMap { entry in
            if let composite = entry.listener as? CompositeListener { return composite.restorable }
            return (entry.listener as? any RestorableListener).map { [$0] } ?? []
        }
    }

    /// Every name that any listener answers, once.
    var interests: [LifecycleNotification.Name] {
        var seen: Set<LifecycleNotification.Name> = []
        return inOrder.joined().flatMap(\.interests).filter { seen.insert($0).inserted }
    }

    /// The answers that offer actions.
    var actionAnswers: [LifecycleAnswer] { inOrder.joined().flatMap(\.actionAnswers) }

    var actions: [LifecycleAction] { inOrder.joined().flatMap(\.actions) }
}
