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
