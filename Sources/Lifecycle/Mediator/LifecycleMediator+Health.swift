// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How listeners are, by their own account.
extension LifecycleMediator {
    /// Asks every listener how it is. A listener calls it when it has something to say that cannot wait until the
    /// watchdog asks the next time.
    ///
    /// - Returns: those that are not healthy.
    @discardableResult
    public func checkHealth() -> [ListenerHealthReport] {
        let now = registry.troubled
        guard now != troubled else { return now }
        troubled = now
        for observer in healthObservers { observer(now) }
        return now
    }

    /// Calls `handler` with those that are not healthy, whenever a check finds others than the one before, or others
    /// reasons: with none when all are well again.
    public func addHealthObserver(_ handler: @escaping ([ListenerHealthReport]) -> Void) {
        healthObservers.append(handler)
    }
}
