// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The listeners of a mediator, and who is to be told of what in which order.
final class ListenerRegistry {
    private var entries: [ListenerEntry] = []
    private var order: [[ListenerEntry]] = []
    /// Who hears of each name that somebody answers or observes.
    let audiences = AudienceTable()

    /// Adds a listener, or throws and leaves things as they were.
    func add(_ listener: any LifecycleListener, isPrimary: Bool) throws(ListenerOrderError) {
        let entry = ListenerEntry(listener, isPrimary: isPrimary)
        order = try Self.ordered(entries + [entry])
        entries.append(entry)
        findAudiencesAnew()
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
        findAudiencesAnew()
    }

    func updateAnswers(of listener: any LifecycleListener) {
        for entry in entries where entry.listener === listener { entry.readAnswers() }
        findAudiencesAnew()
    }

    /// The audience of a name, for an observer to join.
    func audience(of name: LifecycleNotification.Name) -> Audience { audiences.audience(of: name) }

    /// Those who answer `name`, in the order that it asks for: groups one after the other, the members of one together.
    func groups(answering name: LifecycleNotification.Name) -> [[ListenerEntry]] {
        // Whatever is answered has an audience.
        guard let audience = audiences.find(name)?.takeUnretainedValue() else { return [] }
        if let known = audience.groups { return known }
        let arriving = order.map { $0.filter { $0.answer(to: name) != nil } }.filter { !$0.isEmpty }
        let groups = name.isLeaving ? arriving.reversed() : arriving
        audience.setListeners(groups, Self.promptAnswers(of: groups, to: name))
        return groups
    }

    private static func promptAnswers(
        of groups: [[ListenerEntry]], to name: LifecycleNotification.Name
    ) -> [PromptAnswer]? {
        // Who answers these two, and whether anybody else is asked, is known only when they are told.
        guard name != .openURL, name != .performAction else { return nil }
        var answers: [PromptAnswer] = []
        for entry in groups.joined() {
            guard case .immediate(let body) = entry.answer(to: name)?.body else { return nil }
            answers.append(PromptAnswer(entry: entry, body: body))
        }
        return answers
    }

    /// The audience, if anybody in it answers; for one that was not found, that which has come since.
    @inline(__always)
    func answering(_ audience: Unmanaged<Audience>?, _ name: LifecycleNotification.Name) -> Audience? {
        guard let audience = audience ?? audiences.find(name), !Audience.isWithoutListeners(audience) else {
            return nil
        }
        let known = audience.takeUnretainedValue()
        return known.groups != nil || !groups(answering: name).isEmpty ? known : nil
    }

    /// After a change.
    private func findAudiencesAnew() {
        for audience in audiences.all { audience.setListeners(nil, nil) }
        for entry in entries {
            for name in entry.interests { _ = audiences.audience(of: name) }
        }
    }

    func statuses(deadline: Duration) -> [ListenerStatus] {
        order.joined().enumerated().map { $1.status(order: $0, deadline: deadline) }
    }

    /// Those that are not healthy.
    var troubled: [ListenerHealthReport] {
        order.joined().compactMap { entry in
            let health = entry.listener.health
            return health == .healthy ? nil : ListenerHealthReport(listener: entry.place.name, health: health)
        }
    }

    /// The time that groups want for a name, one after the other.
    static func time(
        of groups: some Sequence<[ListenerEntry]>, for name: LifecycleNotification.Name, unless deadline: Duration
    ) -> Duration {
        groups.reduce(.zero) { sum, group in
            sum + (group.map { $0.time(for: name, unless: deadline) }.max() ?? .zero)
        }
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
