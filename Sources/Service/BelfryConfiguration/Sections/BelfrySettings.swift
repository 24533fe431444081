// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfrySystemd
package import Lifecycle

/// All settings of `belfry.conf`.
package nonisolated struct BelfrySettings: Sendable, Equatable {
    /// `[Service]`.
    package var service: ServiceSettings
    /// `[Signals]`.
    package var signals: SignalSettings
    /// `[Socket]`.
    package var socket: SocketSettings
    /// `[Logger]`.
    package var logger: LoggerSettings
    /// Every `[Cache NAME]`, in the order of the files.
    package var caches: [CacheSettings]

    /// Reads the settings. What has an error has its default.
    init(_ sections: inout ConfigurationSections) {
        service = sections.read("Service") { ServiceSettings($0) }
        signals = sections.read("Signals", key: SignalName.mappable) { SignalSettings($0) }
        socket = sections.read("Socket") { SocketSettings($0) }
        logger = sections.read("Logger") { LoggerSettings($0) }
        caches = sections.readAll("Cache", "NAME") { CacheSettings($0) }
    }

    /// The settings without any file.
    package static var defaults: BelfrySettings {
        var sections = ConfigurationSections()
        return BelfrySettings(&sections)
    }

    /// The keys that take effect only at a restart: a reload that changes one is refused.
    package static let restartKeys = [
        RestartKey("Service", "DisabledListeners") { $0.service.disabledListeners.map { UTF8Text($0) } },
        RestartKey("Service", "RuntimeDirectory") { $0.service.runtimeDirectory.map { UTF8Text($0) } },
        RestartKey("Service", "StateDirectory") { $0.service.stateDirectory.map { UTF8Text($0) } },
        RestartKey("Socket", "Enabled") { $0.socket.isEnabled },
        RestartKey("Socket", "Path") { $0.socket.path.map { UTF8Text($0) } },
        RestartKey("Socket", "ReplaySize") { $0.socket.replaySize },
    ]
}

/// A key whose change needs a restart.
package nonisolated struct RestartKey: Sendable {
    package let section: String
    package let name: String
    /// Whether its values differ.
    package let differs: @Sendable (BelfrySettings, BelfrySettings) -> Bool

    fileprivate init<Value: Equatable & SendableMetatype>(
        _ section: String, _ name: String, _ value: @escaping @Sendable (BelfrySettings) -> Value
    ) {
        self.section = section
        self.name = name
        differs = { value($0) != value($1) }
    }

    /// `[Section] Key=`, and where it is set if it does not have its default.
    package func description(in configuration: EffectiveConfiguration) -> String {
        let position = configuration.section(section)?.position(of: name)
        return "[\(section)] \(name)=" + (position.map { " (\($0))" } ?? "")
    }
}

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

/// `[Signals]`: what each signal does.
package nonisolated struct SignalSettings: Sendable, Equatable {
    /// The actions by signal number.
    package var actions: [CInt: SignalAction] = [:]

    init(_ section: SectionReader) {
        let defaults: [(name: String, action: SignalAction)] = [
            ("TERM", .stop), ("INT", .stop), ("HUP", .reload), ("TSTP", .pause), ("CONT", .resume),
            ("USR1", .post(.flushRequested)), ("USR2", .post(.statusRequested)), ("PWR", .post(.powerFailing)),
            ("QUIT", .stopNow), ("RTMIN+18", .control), ("PIPE", .ignore),
        ]
        for (name, action) in defaults {
            set(name, section.value(name, SignalAction.init, default: action.description, doubt: Self.doubt))
        }
        for key in section.content.unread {
            set(key.string, section.optional(key.string, SignalAction.init, doubt: Self.doubt))
        }
    }

    private mutating func set(_ name: String, _ action: SignalAction?) {
        guard let number = try? SignalName.number(name) else { return }
        actions[number] = action
    }

    /// The warning about a name that is almost one of Belfry's.
    private static func doubt(_ action: SignalAction?) -> String? {
        guard case .post(let name) = action else { return nil }
        let near = NotificationName.nearMiss(name.rawValue, of: SignalAction.names)
        return near.map { "'\(name)' is taken as a notification name, did you mean the action '\($0)'?" }
            ?? NotificationName.doubt(name)
    }
}

/// `[Socket]`.
package nonisolated struct SocketSettings: Sendable, Equatable {
    /// Whether there is a socket.
    package var isEnabled: Bool
    /// Its path, or `@NAME` for an abstract one; nil for the default.
    package var path: String?
    /// The group whose members are privileged; it need not exist.
    package var group: String
    /// Who may read.
    package var look: SocketAudience
    /// Who may post.
    package var post: SocketAudience
    /// Who may pause, reload, hold and attach listeners.
    package var control: SocketAudience
    /// The maximum number of connections.
    package var connectionsMax: Int
    /// The maximum number of connections of one user.
    package var connectionsPerUserMax: Int
    /// The maximum size of a message of a client, in bytes.
    package var frameMax: Int
    /// The maximum of bytes buffered for and from the clients of one user.
    package var memoryPerUserMax: Int
    /// The maximum of bytes buffered for and from all clients.
    package var memoryMax: Int
    /// The maximum of past notifications in memory.
    package var replayMax: Int
    /// The maximum of bytes of past notifications in memory.
    package var replaySize: Int

    init(_ section: SectionReader) {
        isEnabled = section.boolean("Enabled", default: true)
        path = section.optional("Path", AbsolutePath.parseSocket)
        group = section.value("Group", AccountName.parse, default: "belfry")
        look = section.choice("Look", default: .all)
        post = section.choice("Post", default: .privileged)
        control = section.choice("Control", default: .privileged)
        connectionsMax = section.integer("ConnectionsMax", in: 1...65536, default: 4096)
        connectionsPerUserMax = section.integer("ConnectionsPerUserMax", in: 1...65536, default: 1024)
        frameMax = section.size("FrameMax", in: 4096...(64 << 20), default: "1M")
        memoryPerUserMax = section.size("MemoryPerUserMax", in: (1 << 20)...(1 << 30), default: "64M")
        memoryMax = section.size("MemoryMax", in: (1 << 20)...(4 << 30), default: "96M")
        replayMax = section.integer("ReplayMax", in: 0...1_048_576, default: 1024)
        replaySize = section.size("ReplaySize", in: 65536...(1 << 30), default: "4M")
    }
}

/// Who may do something on the socket.
package nonisolated enum SocketAudience: String, Sendable, CaseIterable {
    /// Everyone who can connect.
    case all
    /// Root, the service's own user and the members of `Group=`.
    case privileged
    /// Root and the service's own user.
    case owner
}

nonisolated extension LoggerSettings {
    init(_ section: SectionReader) {
        self.init()
        isEnabled = section.boolean("Enabled", default: true)
        level = section.value("Level", Self.level, default: "info")
        target = section.choice("Target", default: .auto)
        format = section.choice("Format", default: .text)
    }

    private static func level(_ text: String) throws(ValueProblem) -> LogPriority {
        if let priority = LogPriority(text) { return priority }
        let question = NearestName.question(text, in: LogPriority.names)
        let expected = "expected a log level from 'emerg' to 'debug' or 0 to 7"
        throw ValueProblem("\(expected), not \(DisplayText.quoted(text))\(question)")
    }
}
