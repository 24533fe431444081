// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The listeners of a mediator, and who is to be told of what in which order.
final class ListenerRegistry {
    private var entries: [ListenerEntry] = []
    private var order: [[ListenerEntry]] = []
    /// Who answers a name, in the order of arriving; made when it is first asked for.
    private var answering = NameTable<[[ListenerEntry]]>()

    /// Adds a listener, or throws and leaves things as they were.
    func add(_ listener: any LifecycleListener, isPrimary: Bool) throws(ListenerOrderError) {
        let entry = ListenerEntry(listener, isPrimary: isPrimary)
        order = try Self.ordered(entries + [entry])
        entries.append(entry)
        answering = NameTable()
    }

    /// Removes a listener, also from what is being delivered.
    func remove(_ listener: any LifecycleListener) {
        // What the answers held goes last: its end may remove other listeners from here.
        let gone = entries.filter { $0.listener === listener }
        defer { withExtendedLifetime(gone) {} }
        for entry in gone { entry.isGone = true }
        entries.removeAll(where: \.isGone)
        // Fewer listeners contradict each other no more than before; a rank may stand elsewhere without its first.
        if let ordered = try? Self.ordered(entries) { order = ordered }
        answering = NameTable()
    }

    func updateAnswers(of listener: any LifecycleListener) {
        for entry in entries where entry.listener === listener { entry.readAnswers() }
        answering = NameTable()
    }

    /// Those who answer `name`, in the order that it asks for: groups one after the other, the members of one together.
    func groups(answering name: LifecycleNotification.Name) -> [[ListenerEntry]] {
        let groups: [[ListenerEntry]]
        if let known = answering[name] {
            groups = known
        } else {
            groups = order.map { $0.filter { $0.answer(to: name) != nil } }.filter { !$0.isEmpty }
            // Names come from strangers too; only those that somebody answers are kept.
            if !groups.isEmpty { answering.set(name, groups) }
        }
        return name.isLeaving ? groups.reversed() : groups
    }

    func statuses(deadline: Duration) -> [ListenerStatus] {
        order.joined().enumerated().map { $1.status(order: $0, deadline: deadline) }
    }

    /// Those that keep state, the leaves of composites among them.
    var restorable: [any RestorableListener] {
        order.joined().flatMap { entry in
            if let composite = entry.listener as? CompositeListener { return composite.restorable }
            return (entry.listener as? any RestorableListener).map { [$0] } ?? []
        }
    }

    /// Every name that any listener answers, once.
    var interests: [LifecycleNotification.Name] {
        var seen: Set<LifecycleNotification.Name> = []
        return order.joined().flatMap(\.interests).filter { seen.insert($0).inserted }
    }

    /// The answers that offer actions.
    var actionAnswers: [LifecycleAnswer] { order.joined().flatMap(\.actionAnswers) }

    var actions: [LifecycleAction] { order.joined().flatMap(\.actions) }

    private static func ordered(_ entries: [ListenerEntry]) throws(ListenerOrderError) -> [[ListenerEntry]] {
        try ListenerOrder(entries.map(\.place)).groups.map { $0.map { entries[$0] } }
    }
}
