// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// What a service says about its listeners in the reply of `ListListeners`.
package nonisolated enum ListenerRecords {
    /// Why the service is not to be relied on: a line for each listener that is not healthy, for each whose last call
    /// failed, and for each command of an application that failed and has not succeeded since, for which the last call
    /// of its program does not count.
    ///
    /// - Parameters:
    ///   - state: the reply of `GetState`.
    ///   - isActive: whether the service is: `Health=` does not run otherwise, and need not be known.
    package static func problems(_ reply: JSONObject, of state: JSONObject, isActive: Bool = true) -> [String] {
        let listeners = reply.objects("listeners")
        let isInstance = listeners.contains { $0["name"] == "application" }
        let service = isInstance ? state.text("service") : nil
        return listeners.flatMap { listener in
            let name = listener.textOrDash("name")
            let isProgram = service?.hasSameBytes(as: "belfryd@\(name)") ?? false
            let health =
                isHealthy(listener) || !isActive && listener.text("health") == "unknown"
                ? nil : "\(name) is \(listener.textOrDash("health")): \(listener.textOrDash("healthReason"))"
            let failure =
                hasFailed(listener) && !isProgram
                ? ListenerReports.problem(
                    of: name, listener.textOrDash("lastOutcome"), in: listener.text("lastNotification"),
                    after: listener.number("lastDurationUsec"), reason: listener.text("lastReason")) : nil
            return [health, failure].compactMap(\.self)
        } + failedCommands(of: state).filter(\.isOfRun).map(\.text)
    }

    /// The commands of an application that failed and have not succeeded since.
    ///
    /// - Parameter state: the reply of `GetState`.
    /// - Returns: a line for each, and whether the present run needs it: not the end of the one before, nor an alert.
    package static func failedCommands(of state: JSONObject) -> [(text: String, isOfRun: Bool)] {
        (state["failedCommands"]?.objectValue ?? [:]).map { key, text in
            let isOfRun = !["Stop", "Degraded", "Healthy"].contains { $0.hasSameBytes(as: key) }
            return ("\(key)= failed \(text.stringValue ?? "-")", isOfRun)
        }
    }

    /// The health of all listeners in a word. What programs have reported is not known any more while the service is
    /// not active, since `Health=` does not run.
    package static func health(_ reply: JSONObject, of state: JSONObject, isActive: Bool) -> String {
        let isOld = !isActive && reply.objects("listeners").contains { $0.number("healthyUsec") != nil }
        if problems(reply, of: state).isEmpty { return isOld ? "unknown" : "healthy" }
        return problems(reply, of: state, isActive: false).isEmpty ? "unknown" : "not healthy"
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
