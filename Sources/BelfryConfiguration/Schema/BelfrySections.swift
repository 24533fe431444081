// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Every section and key of `belfry.conf`. This is the one place that knows their names, defaults and meanings.
nonisolated enum BelfrySections {
    static let service = SectionDescription(
        "Service", help: "the service as a whole",
        keys: [
            KeyDescription(
                "ListenerTimeout", .timeSpan(minimum: .microseconds(1)), default: "10s",
                help: "deadline of a listener that names none, or infinity"),
            KeyDescription(
                "StopTimeout", .timeSpan(minimum: .microseconds(1)), default: "25s",
                help: "time for a whole stop where the unit's own cannot be asked, or infinity"),
            KeyDescription(
                "StopOnPause", .boolean, default: "no",
                help: "whether a pause ends in a real SIGSTOP, which SIGCONT ends"),
            KeyDescription(
                "InhibitSleep", .boolean, default: "yes",
                help: "whether a sleep of the machine waits until listeners are done"),
            KeyDescription(
                "InhibitShutdown", .boolean, default: "yes",
                help: "whether the end of the machine waits until the service knows which it is"),
            KeyDescription(
                "DisabledListeners", .listenerNames, default: "", needsRestart: true,
                help: "names of listeners that registered themselves and are left out"),
            KeyDescription(
                "ProtectedData", .paths, default: "",
                help: "mount points whose coming and going is told"),
            KeyDescription(
                "SignalLimitInterval", .timeSpan(), default: "1s",
                help: "deliveries of a signal beyond the burst in this time are merged; 0 or infinity for no limit"),
            KeyDescription(
                "SignalLimitBurst", .integer(1...1_048_576, isOptional: true), default: "1000",
                help: "deliveries of a signal that are passed on one by one in that time, or infinity"),
            KeyDescription(
                "SignalLimitRealtime", .boolean, default: "no",
                help: "whether real-time signals are merged too, which loses all values but the last"),
            KeyDescription(
                "RuntimeDirectory", .path, default: "", needsRestart: true,
                help: "where the socket is; by default decided by the environment"),
            KeyDescription(
                "StateDirectory", .path, default: "", needsRestart: true,
                help: "where state is kept; by default decided by the environment"),
        ])

    static let signals = SectionDescription(
        "Signals", help: "what each signal does: an action, or the name of a notification to post", openKeys: .signals,
        keys: [
            signal("TERM", .stop, "stop in order"),
            signal("INT", .stop, "stop in order"),
            signal("HUP", .reload, "read the configuration again"),
            signal("TSTP", .pause, "go to the background"),
            signal("CONT", .resume, "come back to the foreground"),
            signal("USR1", .post("flushRequested"), "flush the caches"),
            signal("USR2", .post("statusRequested"), "write the status of every listener to the journal"),
            signal("PWR", .post("powerFailing"), "tell the listeners that the power fails"),
            signal("QUIT", .stopNow, "write the status to the journal and stop at once"),
            signal("RTMIN+18", .control, "do what the queued value says, as systemd does"),
            signal("PIPE", .ignore, "nothing"),
        ])

    static let socket = SectionDescription(
        "Socket", help: "the Varlink socket io.belfry.Lifecycle",
        keys: [
            KeyDescription(
                "Enabled", .boolean, default: "yes", needsRestart: true, help: "whether there is a socket"),
            KeyDescription(
                "Path", .socketPath, default: "", needsRestart: true,
                help: "its path or abstract @NAME; by default io.belfry.Lifecycle in the runtime directory"),
            KeyDescription(
                "Group", .account, default: "belfry", help: "group whose members are privileged, if it exists"),
            audience("Look", "all", "who may read: all, privileged (root, the service's own user, Group=) or owner"),
            audience(
                "Post", "privileged", "who may post, ask for actions and have URLs opened: all, privileged or owner"),
            audience(
                "Control", "privileged", "who may pause, reload, hold and listen in order: all, privileged or owner"),
            KeyDescription("ConnectionsMax", .integer(1...65536), default: "4096", help: "connections at a time"),
            KeyDescription(
                "ConnectionsPerUserMax", .integer(1...65536), default: "1024",
                help: "connections of one user at a time"),
            KeyDescription(
                "FrameMax", .size(4096...(64 << 20)), default: "1M", help: "bytes in one message of a client"),
            KeyDescription(
                "MemoryPerUserMax", .size((1 << 20)...(1 << 30)), default: "64M",
                help: "bytes that wait for or from the clients of one user"),
            KeyDescription(
                "MemoryMax", .size((1 << 20)...(4 << 30)), default: "96M",
                help: "bytes that wait for or from all clients together"),
            KeyDescription(
                "QueueMax", .integer(1...1_048_576), default: "1024",
                help: "notifications that wait for one slow subscriber"),
            KeyDescription(
                "QueueSizeMax", .size(65536...(1 << 30)), default: "4M", help: "bytes that wait for one slow client"),
            KeyDescription(
                "ReplayMax", .integer(0...1_048_576), default: "1024",
                help: "past notifications kept in memory for those who ask for them"),
            KeyDescription(
                "ReplaySize", .size(65536...(1 << 30)), default: "1M", needsRestart: true,
                help: "bytes of them, from which subscribers go on after a restart too"),
        ])

    static let logger = SectionDescription(
        "Logger", help: "the record of what happens",
        keys: [
            KeyDescription("Enabled", .boolean, default: "yes", help: "whether notifications are logged"),
            KeyDescription(
                "Level", .logPriority, default: "info", help: "least urgent level that is logged, emerg to debug"),
            KeyDescription(
                "Target", .choice(LoggerTarget.allCases.map(\.rawValue)), default: "auto",
                help: "journal, stderr, kmsg, null, or auto for the journal where there is one"),
        ])

    static let cache = SectionDescription(
        "Cache", instance: "NAME", help: "a cache directory to flush; it must hold a CACHEDIR.TAG to be trimmed",
        keys: [
            KeyDescription(
                required: "Path", .directory,
                help: "the directory, no mount point, and neither above nor the runtime or state directory"),
            KeyDescription(
                "SizeMax", .size(isOptional: true), default: "", help: "bytes to keep, the oldest files go first"),
            KeyDescription("AgeMax", .timeSpan(), default: "", help: "age of a file above which it goes"),
            KeyDescription(
                "FilesMax", .integer(0...Int.max, isOptional: true), default: "",
                help: "files to keep, the oldest go first"),
            KeyDescription(
                "WriteBack", .boolean, default: "yes", help: "write the file system's changes to the disk"),
            KeyDescription(
                "DropPages", .boolean, default: "no", help: "advise the kernel to drop the files from its memory"),
            KeyDescription(
                "On", .notificationNames,
                default: "flushRequested didReceiveMemoryWarning didEnterBackground willTerminate",
                help: "notifications that flush it"),
        ])

    private static func audience(_ name: String, _ text: String, _ help: String) -> KeyDescription {
        KeyDescription(name, .choice(SocketAudience.allCases.map(\.rawValue)), default: text, help: help)
    }

    private static func signal(_ name: String, _ action: SignalAction, _ help: String) -> KeyDescription {
        KeyDescription(name, .signalAction, default: action.description, help: help)
    }
}
