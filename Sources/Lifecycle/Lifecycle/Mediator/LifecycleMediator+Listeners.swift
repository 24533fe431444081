// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Listeners and their health.
extension LifecycleMediator {
    /// Adds a listener: last in the order of arriving notifications and first in that of leaving ones, unless `rank` or
    /// `follows` gives it another place. It is called from the next notification on.
    ///
    /// - Throws: when another listener has its name, listeners would follow each other in a circle, or it declares two
    ///   answers to one notification or action; the listener is then not added.
    public func addListener(_ listener: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(listener)
        eventObservers.send(.listenersChanged)
    }

    /// Adds the primary listener, which is called first for arriving notifications and last for leaving ones. There is
    /// at most one.
    ///
    /// - Throws: when there is one already, when another listener has its name, or when it follows others.
    public func addPrimaryListener(_ listener: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(listener, .primary)
        eventObservers.send(.listenersChanged)
    }

    /// The primary listener; nil if there is none.
    public var primaryListener: (any LifecycleListener)? { registry.primary }

    /// Adds the listener that is called last for arriving notifications, also after listeners that are added later, and
    /// first for leaving ones.
    ///
    /// - Throws: when another listener has its name.
    package func addOutermostListener(_ listener: any LifecycleListener) throws(ListenerOrderError) {
        try registry.add(listener, .outermost)
        eventObservers.send(.listenersChanged)
    }

    /// Removes a listener. It is not called again, not even for a notification that is being delivered.
    public func removeListener(_ listener: any LifecycleListener) {
        registry.remove(listener)
        eventObservers.send(.listenersChanged)
        // Nobody is to be told of the health of a listener that is gone.
        if unhealthy.contains(where: { $0.listener.hasSameBytes(as: listener.name) }) { checkHealth() }
    }

    /// Removes all listeners, which often refer to what the mediator belongs to.
    package func removeListeners() {
        unhealthy = []
        for listener in registry.listeners { removeListener(listener) }
    }

    /// Reads the answers of a listener again. Use it if they depend on the configuration. The place and the record of
    /// the listener do not change.
    ///
    /// - Throws: when it declares two answers to one notification or action; it then keeps those that it has.
    public func updateAnswers(of listener: any LifecycleListener) throws(ListenerOrderError) {
        try registry.updateAnswers(of: listener)
    }

    /// Whether there is a listener of this name.
    package func hasListener(named name: String) -> Bool { registry.hasListener(named: name) }

    /// What the listener of this name answers; nil if there is none.
    package func interests(ofListenerNamed name: String) -> [LifecycleNotification.Name]? {
        registry.interests(ofListenerNamed: name)
    }

    /// The listener of this type; nil if there is none.
    package func listener<Listener: LifecycleListener>(_ type: Listener.Type) -> Listener? { registry.listener(type) }

    /// The listeners that follow a name that no listener has, with that name. The listener may come later, or the name
    /// is misspelt.
    package var unknownFollowed: [(listener: String, name: String)] { registry.unknownFollowed }

    /// The status of each listener, in the order of arriving notifications.
    public var listeners: [ListenerStatus] { registry.statuses(deadline: deadlines.listener) }

    /// The listeners with restorable state, in the order of arriving notifications.
    package var restorableListeners: [any RestorableListener] { registry.restorable }

    /// The actions that listeners offer.
    package var actions: [LifecycleAction] { registry.actions }
}

extension LifecycleMediator {
    /// Reads the health of every listener. A listener may call this to report a change before the next watchdog
    /// message.
    ///
    /// - Returns: the unhealthy listeners.
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
