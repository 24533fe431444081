// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd
internal import Lifecycle

/// Every section and key of `belfry.conf`. Names and defaults are only here; `config/belfry.conf` describes the keys.
package nonisolated enum KeysAndDefaults {
    /// In display order.
    package static let all = [service, signals, socket, logger, cache]

    static let service = SectionDescription(
        "Service",
        keys: [
            KeyDescription("ListenerTimeout", .timeSpan(minimum: .microseconds(1)), default: "10s"),
            KeyDescription("StopTimeout", .timeSpan(minimum: .microseconds(1)), default: "25s"),
            KeyDescription("StopExtensionMax", .integer(1...1000), default: "2"),
            KeyDescription("LateStopExitStatus", .integer(0...255), default: "0"),
            KeyDescription("StopOnPause", .boolean, default: "no"),
            KeyDescription("InhibitSleep", .boolean, default: "yes"),
            KeyDescription("InhibitShutdown", .boolean, default: "yes"),
            KeyDescription("DisabledListeners", .listenerNames, default: "", needsRestart: true),
            KeyDescription("ProtectedData", .paths, default: ""),
            KeyDescription("CPUPressure", .postedName, default: ""),
            KeyDescription("IOPressure", .postedName, default: ""),
            KeyDescription("RuntimeDirectory", .path, default: "", needsRestart: true),
            KeyDescription("StateDirectory", .path, default: "", needsRestart: true),
        ])

    static let signals = SectionDescription(
        "Signals",
        others: OtherKeys(kind: .signalAction) { text, _ throws(ValueProblem) in try SignalName.mappable(text) },
        keys: [
            signal("TERM", .stop), signal("INT", .stop), signal("HUP", .reload), signal("TSTP", .pause),
            signal("CONT", .resume), signal("USR1", .post(.flushRequested)), signal("USR2", .post(.statusRequested)),
            signal("PWR", .post(.powerFailing)), signal("QUIT", .stopNow), signal("RTMIN+18", .control),
            signal("PIPE", .ignore),
        ])

    static let socket = SectionDescription(
        "Socket",
        keys: [
            KeyDescription("Enabled", .boolean, default: "yes", needsRestart: true),
            KeyDescription("Path", .socketPath, default: "", needsRestart: true),
            KeyDescription("Group", .account, default: "belfry"),
            audience("Look", default: .all), audience("Post", default: .privileged),
            audience("Control", default: .privileged),
            KeyDescription("ConnectionsMax", .integer(1...65536), default: "4096"),
            KeyDescription("ConnectionsPerUserMax", .integer(1...65536), default: "1024"),
            KeyDescription("FrameMax", .size(4096...(64 << 20)), default: "1M"),
            KeyDescription("MemoryPerUserMax", .size((1 << 20)...(1 << 30)), default: "64M"),
            KeyDescription("MemoryMax", .size((1 << 20)...(4 << 30)), default: "96M"),
            KeyDescription("ReplayMax", .integer(0...1_048_576), default: "1024"),
            KeyDescription("ReplaySize", .size(65536...(1 << 30)), default: "4M", needsRestart: true),
        ])

    static let logger = SectionDescription(
        "Logger",
        keys: [
            KeyDescription("Enabled", .boolean, default: "yes"),
            KeyDescription("Level", .logPriority, default: "info"),
            KeyDescription("Target", .choice(LogTarget.allCases.map(\.rawValue)), default: "auto"),
            KeyDescription("Format", .choice(RecordFormat.allCases.map(\.rawValue)), default: "text"),
        ])

    static let cache = SectionDescription(
        "Cache", instance: "NAME",
        keys: [
            KeyDescription("Path", .directories, default: nil),
            KeyDescription("SizeMax", .size(isOptional: true), default: ""),
            KeyDescription("AgeMax", .timeSpan(), default: ""),
            KeyDescription("FilesMax", .integer(0...Int.max, isOptional: true), default: ""),
            KeyDescription("KeepFree", .size(isOptional: true), default: ""),
            KeyDescription("WriteBack", .boolean, default: "yes"),
            KeyDescription("DropPages", .boolean, default: "no"),
            KeyDescription("DryRun", .boolean, default: "no"),
            KeyDescription(
                "On", .notificationNames,
                default: "flushRequested didReceiveMemoryWarning didEnterBackground willTerminate"),
        ])

    private static func audience(_ name: String, default audience: SocketAudience) -> KeyDescription {
        KeyDescription(name, .choice(SocketAudience.allCases.map(\.rawValue)), default: audience.rawValue)
    }

    private static func signal(_ name: String, _ action: SignalAction) -> KeyDescription {
        KeyDescription(name, .signalAction, default: action.description)
    }
}
