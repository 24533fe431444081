// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who takes part.
extension LifecycleMediator {
    /// Adds a listener: last in the order of arriving notifications and first in that of leaving ones, unless it says
    /// whom it follows. It hears of what is posted from now on.
    ///
    /// - Throws: when another listener has its name, or listeners would follow each other in a circle; the listener is then
    ///   not added.
    public func addListener(_ listener: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(listener, isPrimary: false)
    }

    /// Adds the primary listener, which is told first on the way up and last on the way down. There is at most one.
    ///
    /// - Throws: when there is one already, when another listener has its name, or when it follows others.
    public func addPrimaryListener(_ listener: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(listener, isPrimary: true)
    }

    /// Removes a listener. It is not called any more, not even for a notification that is being delivered.
    public func removeListener(_ listener: any LifecycleListener) { registry.remove(listener) }

    /// Reads the answers of a listener anew, which keeps its place and its record: for one whose interests come from
    /// the configuration.
    public func updateAnswers(of listener: any LifecycleListener) { registry.updateAnswers(of: listener) }

    /// Whether there is a listener of this name.
    package func hasListener(named name: String) -> Bool { registry.hasListener(named: name) }

    /// Who follows a name that no listener has, and which: a listener that comes later, or a name that is misspelt.
    package var unknownFollowed: [(listener: String, name: String)] { registry.unknownFollowed }

    /// How many names somebody observes or answers.
    package var knownNames: Int { observerIndex.all.count }

    /// What is known of each listener, in the order of arriving notifications.
    public var listeners: [ListenerStatus] { registry.statuses(deadline: deadlines.listener) }

    /// The listeners whose state can be kept from one run to the next, in the order of arriving notifications.
    public var restorableListeners: [any RestorableListener] { registry.restorable }

    /// The actions that listeners offer.
    public var actions: [LifecycleAction] { registry.actions }
}

/// How listeners are, by their own account.
extension LifecycleMediator {
    /// Asks every listener how it is. A listener calls it when it has something to say that cannot wait until the
    /// watchdog asks the next time.
    ///
    /// - Returns: those that are not healthy.
    @discardableResult
    public func checkHealth() -> [ListenerHealthReport] {
        let found = registry.unhealthy
        if found != unhealthy {
            unhealthy = found
            eventObservers.send(.healthChanged(found))
        }
        return found
    }
}
