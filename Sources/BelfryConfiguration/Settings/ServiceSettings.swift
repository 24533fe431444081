// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// `[Service]`.
package nonisolated struct ServiceSettings: Sendable, Equatable {
    /// The deadline of a listener that names none; nil for none.
    package var listenerTimeout: Duration?
    /// The time for a whole stop where the unit's own cannot be asked; nil for no limit.
    package var stopTimeout: Duration?
    /// Whether a pause ends in a real SIGSTOP.
    package var stopOnPause: Bool
    /// Whether a sleep of the machine waits for the listeners.
    package var inhibitSleep: Bool
    /// Whether the end of the machine waits until its kind is known.
    package var inhibitShutdown: Bool
    /// Names of listeners that registered themselves and are left out.
    package var disabledListeners: [String]
    /// The mount points whose coming and going is told.
    package var protectedData: [String]
    /// The time in which deliveries of one signal are counted; zero or nil for no limit.
    package var signalLimitInterval: Duration?
    /// How many deliveries of one signal are passed on one by one in that time; nil for no limit.
    package var signalLimitBurst: Int?
    /// Whether real-time signals are merged too.
    package var limitsRealtimeSignals: Bool
    /// Where the socket is; nil to let the environment decide.
    package var runtimeDirectory: String?
    /// Where state is kept; nil to let the environment decide.
    package var stateDirectory: String?

    init(_ section: EffectiveSection) {
        listenerTimeout = section.duration("ListenerTimeout")
        stopTimeout = section.duration("StopTimeout")
        stopOnPause = section.boolean("StopOnPause")
        inhibitSleep = section.boolean("InhibitSleep")
        inhibitShutdown = section.boolean("InhibitShutdown")
        disabledListeners = section.texts("DisabledListeners")
        protectedData = section.texts("ProtectedData")
        signalLimitInterval = section.duration("SignalLimitInterval")
        signalLimitBurst = section.optionalInteger("SignalLimitBurst")
        limitsRealtimeSignals = section.boolean("SignalLimitRealtime")
        runtimeDirectory = section.text("RuntimeDirectory")
        stateDirectory = section.text("StateDirectory")
    }
}
