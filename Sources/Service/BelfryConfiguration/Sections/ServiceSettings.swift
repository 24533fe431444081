// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
    /// How long a state that has changed may wait until it is stored; nil for until the next pause or stop.
    package var stateSaveInterval: Duration?
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
    /// The runtime directory; nil for the default of the environment.
    package var runtimeDirectory: String?
    /// The state directory; nil for the default of the environment.
    package var stateDirectory: String?

    init(_ section: SectionReader) {
        listenerTimeout = section.value("ListenerTimeout", Self.timeout, default: "10s")
        stopTimeout = section.value("StopTimeout", Self.timeout, default: "25s")
        stopExtensionMax = section.integer("StopExtensionMax", in: 1...1000, default: 2)
        lateStopExitStatus = section.integer("LateStopExitStatus", in: 0...255, default: 0)
        stateSaveInterval = section.value("StateSaveInterval", Self.timeout, default: "30s")
        stopOnPause = section.boolean("StopOnPause", default: false)
        inhibitSleep = section.boolean("InhibitSleep", default: true)
        inhibitShutdown = section.boolean("InhibitShutdown", default: true)
        disabledListeners = section.list("DisabledListeners") { $0 }
        protectedData = section.list("ProtectedData", of: AbsolutePath.parse)
        runtimeDirectory = section.optional("RuntimeDirectory", AbsolutePath.parse)
        stateDirectory = section.optional("StateDirectory", AbsolutePath.parse)
    }

    static func timeout(_ text: String) throws(ValueProblem) -> Duration? {
        let minimum = Duration.microseconds(1)
        let span = try TimeSpanText.parse(text)
        if let span, span < minimum { throw ValueProblem("time span is too short, expected at least \(minimum)") }
        return span
    }
}
