// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// A key of `[On]` that says what an application does, and not which notification that is.
package nonisolated enum ApplicationVerb: String, Sendable, CaseIterable {
    case start = "Start"
    case pause = "Pause"
    case resume = "Resume"
    case checkReload = "CheckReload"
    case reload = "Reload"
    case stop = "Stop"
    case flush = "Flush"
    case memoryWarning = "MemoryWarning"
    case sleep = "Sleep"
    case wake = "Wake"
    case health = "Health"
    case degraded = "Degraded"
    case healthy = "Healthy"

    /// The notification that says that the unit has begun a run. `belfryd` posts it for an application.
    package static let unitDidStart = LifecycleNotification.Name("unitDidStart")!  // letters only

    /// The notification that says that a stop of the unit was called off after `Stop=` had run. `belfryd` posts it, and
    /// `Resume=` is run.
    package static let unitDidNotStop = LifecycleNotification.Name("unitDidNotStop")!  // letters only

    /// The notifications that say that the application does not work, and that it works again. `belfryd` posts them.
    package static let unitDidDegrade = LifecycleNotification.Name("unitDidDegrade")!  // letters only
    /// See `unitDidDegrade`.
    package static let unitDidRecover = LifecycleNotification.Name("unitDidRecover")!  // letters only

    /// Its notification; nil for `Health`, which is run by the clock.
    package var notification: LifecycleNotification.Name? {
        switch self {
        case .start: Self.unitDidStart
        case .pause: .didEnterBackground
        case .resume: .willEnterForeground
        case .checkReload: .willReload
        case .reload: .didReload
        case .stop: .willTerminate
        case .flush: .flushRequested
        case .memoryWarning: .didReceiveMemoryWarning
        case .sleep: .willSleep
        case .wake: .didWake
        case .health: nil
        case .degraded: Self.unitDidDegrade
        case .healthy: Self.unitDidRecover
        }
    }

    /// What makes up for a failure of its command, as this one does for that of the other.
    package var opposite: ApplicationVerb? {
        switch self {
        case .pause: .resume
        case .resume: .pause
        case .sleep: .wake
        case .wake: .sleep
        case .degraded: .healthy
        case .healthy: .degraded
        default: nil
        }
    }

    /// Whether its command is run. The end of belfryd is neither a pause nor a stop of the application.
    func isRun(_ trigger: LifecycleTrigger?, unitJob: String?) -> Bool {
        switch self {
        case .pause: trigger == .pause
        case .stop: unitJob == "stop" || unitJob == "restart"
        default: true
        }
    }
}

/// A command of an application.
package nonisolated struct ApplicationCommand: Sendable, Equatable {
    /// Its key in `[On]`.
    package let key: String
    /// The notification at which it is run.
    package let notification: LifecycleNotification.Name
    /// The command.
    package let command: ExecCommand

    /// The verb of its notification; nil for one without.
    package var verb: ApplicationVerb? { ApplicationVerb.allCases.first { $0.notification == notification } }

    /// Whether it is run at the notification of this name.
    func isFor(_ name: LifecycleNotification.Name) -> Bool {
        notification == name || verb == .resume && name == ApplicationVerb.unitDidNotStop
    }
}
