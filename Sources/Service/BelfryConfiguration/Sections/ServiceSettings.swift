// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Lifecycle

/// `[Service]`.
package nonisolated struct ServiceSettings: Sendable, Equatable {
    /// The deadline of a listener that declares none; nil for no deadline.
    package var listenerTimeout: Duration?
    /// The time for a whole stop if the timeout of the unit is unknown; nil for no limit.
    package var stopTimeout: Duration?
    /// How many times its time a stop may take while listeners report progress.
    package var stopExtensionMax: Int
    /// The exit status after a stop in which a listener missed its deadline.
    package var lateStopExitStatus: Int32
    /// Whether a pause ends in a real SIGSTOP.
    package var stopOnPause: Bool
    /// Whether sleep of the machine is delayed until the listeners are done.
    package var inhibitSleep: Bool
    /// Whether shutdown of the machine is delayed until its kind is known.
    package var inhibitShutdown: Bool
    /// The names of self-registered listeners to leave out.
    package var disabledListeners: [String]
    /// The mount points whose mounts and unmounts are notified.
    package var protectedData: [String]
    /// The notification to post at processor pressure; nil for none.
    package var cpuPressure: LifecycleNotification.Name?
    /// The notification to post at storage pressure; nil for none.
    package var ioPressure: LifecycleNotification.Name?
    /// The runtime directory; nil for the default of the environment.
    package var runtimeDirectory: String?
    /// The state directory; nil for the default of the environment.
    package var stateDirectory: String?

    init(_ section: SectionReader) {
        listenerTimeout = section.value("ListenerTimeout", Self.timeout, default: "10s")
        stopTimeout = section.value("StopTimeout", Self.timeout, default: "25s")
        stopExtensionMax = section.integer("StopExtensionMax", in: 1...1000, default: 2)
        lateStopExitStatus = section.integer("LateStopExitStatus", in: 0...255, default: 0)
        stopOnPause = section.boolean("StopOnPause", default: false)
        inhibitSleep = section.boolean("InhibitSleep", default: true)
        inhibitShutdown = section.boolean("InhibitShutdown", default: true)
        disabledListeners = section.list("DisabledListeners") { $0 }
        protectedData = section.list("ProtectedData", of: AbsolutePath.parse)
        cpuPressure = section.optional("CPUPressure", Self.postedName)
        ioPressure = section.optional("IOPressure", Self.postedName)
        runtimeDirectory = section.optional("RuntimeDirectory", AbsolutePath.parse)
        stateDirectory = section.optional("StateDirectory", AbsolutePath.parse)
    }

    private static func timeout(_ text: String) throws(ValueProblem) -> Duration? {
        let minimum = Duration.microseconds(1)
        let span = try TimeSpanText.parse(text)
        if let span, span < minimum { throw ValueProblem("time span is too short, expected at least \(minimum)") }
        return span
    }

    private static func postedName(_ text: String) throws(ValueProblem) -> LifecycleNotification.Name? {
        let name = try NotificationName.name(text)
        guard name.isTransition else { return name }
        throw ValueProblem("'\(name)' belongs to a change of state and cannot be posted, use a name of your own")
    }
}
