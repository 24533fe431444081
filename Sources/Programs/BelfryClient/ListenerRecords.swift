// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What a service says about its listeners in the reply of `ListListeners`.
package nonisolated enum ListenerRecords {
    /// Why the service is not to be relied on: a line for each listener that is not healthy, and for each whose last
    /// call failed.
    ///
    /// - Parameter isActive: whether the service is: `Health=` does not run otherwise, and need not be known.
    package static func problems(_ reply: JSONObject, isActive: Bool = true) -> [String] {
        reply.objects("listeners").flatMap { listener in
            let name = listener.textOrDash("name")
            let health =
                isHealthy(listener) || !isActive && listener.text("health") == "unknown"
                ? nil : "\(name) is \(listener.textOrDash("health")): \(listener.textOrDash("healthReason"))"
            let failure =
                hasFailed(listener)
                ? ListenerReports.problem(
                    of: name, listener.textOrDash("lastOutcome"), in: listener.text("lastNotification"),
                    after: listener.number("lastDurationUsec"), reason: listener.text("lastReason")) : nil
            return [health, failure].compactMap(\.self)
        }
    }

    /// The health of all listeners in a word. What programs have reported is not known any more while the service is
    /// not active, since `Health=` does not run.
    package static func health(_ reply: JSONObject, isActive: Bool) -> String {
        let isOld = !isActive && reply.objects("listeners").contains { $0.number("healthyUsec") != nil }
        if problems(reply).isEmpty { return isOld ? "unknown" : "healthy" }
        return problems(reply, isActive: false).isEmpty ? "unknown" : "not healthy"
    }

    /// Whether a listener does not say that it is unhealthy or lost.
    package static func isHealthy(_ listener: JSONObject) -> Bool {
        ["healthy", nil].contains(listener.text("health"))
    }

    /// Whether the last call of a listener failed, was late or refused. At `willReload` that does not count: it refuses
    /// a new configuration, and the service goes on with the old one.
    package static func hasFailed(_ listener: JSONObject) -> Bool {
        OutcomeWord.isProblem(listener.text("lastOutcome")) && listener.text("lastNotification") != "willReload"
    }
}
