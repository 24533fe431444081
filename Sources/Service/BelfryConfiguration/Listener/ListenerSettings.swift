// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// A program, or the commands of an application, as a listener: what it answers, and what is run.
package nonisolated struct ListenerSettings: Sendable, Equatable {
    /// The timeout if none is set. Services have the same default (`ListenerTimeout=`).
    package static let defaultTimeout = Duration.seconds(10)
    /// The socket if none is set.
    package static let defaultSocket = "/run/belfry/io.belfry.Lifecycle"

    /// The name of the listener.
    package let name: String
    /// The names of the notifications that it answers.
    package let on: [String]
    /// What is run.
    package let commands: ListenerCommands
    /// How long one run may take, from the notification on.
    package let timeout: Duration
    /// The listeners that are called before this one for arriving notifications.
    package let follows: [String]
    /// The socket of the service.
    package let socket: String
    /// Whether the program is also run once after each attachment.
    package let runsOnStart: Bool
    /// What tells whether it works.
    package let health: HealthCheck?

    /// The settings of a listener.
    package init(
        name: String, on: [String], commands: ListenerCommands, timeout: Duration = defaultTimeout,
        follows: [String] = [], socket: String = defaultSocket, runsOnStart: Bool = false, health: HealthCheck? = nil
    ) {
        self.name = name
        self.on = on
        self.commands = commands
        self.timeout = timeout
        self.follows = follows
        self.socket = socket
        self.runsOnStart = runsOnStart
        self.health = health
    }

    /// Decodes a file that was resolved without an error.
    fileprivate init(_ section: EffectiveSection, name: String) throws(ValueProblem) {
        self.init(
            name: name, on: section.required("On"),
            commands: .program(try ExecCommand(section.required("Exec"), instance: name)),
            timeout: section.required("Timeout"), follows: section.required("Follows"),
            socket: section.required("Socket"), runsOnStart: section.required("RunOnStart"),
            health: try HealthCheck(section.optional("Health"), every: section.required("HealthInterval"), of: name))
    }
}

/// What a listener runs.
package nonisolated enum ListenerCommands: Sendable, Equatable {
    /// The same program at each notification: `Exec=`.
    case program(ExecCommand)
    /// Each command of an application at its own.
    case application([ApplicationCommand])

    /// What is run for a notification, which has this trigger and `unitJob` in its user info; nil for nothing.
    package func command(at name: String, trigger: String?, unitJob: String?) -> ExecCommand? {
        switch self {
        case .program(let command): command
        case .application(let commands):
            commands.first {
                $0.notification.hasSameBytes(as: name)
                    && $0.verb?.isRun(trigger: trigger, unitJob: unitJob) ?? true
            }?.command
        }
    }
}

/// A command that tells by its exit status whether something works: `Health=`.
package nonisolated struct HealthCheck: Sendable, Equatable {
    /// The command.
    package let command: ExecCommand
    /// How often it is run.
    package let interval: Duration

    /// A check; nil without a command.
    init?(_ text: String?, every interval: Duration, of name: String) throws(ValueProblem) {
        guard let text else { return nil }
        command = try ExecCommand(text, instance: name)
        self.interval = interval
    }
}

/// The files `NAME.listener` in `/etc/belfry/listeners.d`, `/run/belfry/listeners.d`, `/usr/local/lib/belfry/listeners.d` and
/// `/usr/lib/belfry/listeners.d`, with drop-ins `NAME.listener.d/*.conf`, as for `belfry.conf`.
package nonisolated struct ListenerFile {
    static let suffix = ".listener"

    /// The settings; nil if there was an error.
    package let settings: ListenerSettings?
    /// The file.
    package let file: DeclarationFile

    /// Reads the file of the listener `name`.
    ///
    /// - Parameter root: a prefix of all paths.
    package init(_ name: String, root: String = "", reader: any ConfigurationFileReader = SystemFileReader()) {
        file = DeclarationFile(
            name, suffix: Self.suffix, in: Self.directories(root), schema: [Self.schema], reader: reader)
        settings = file.section(Self.schema.name).flatMap { try? ListenerSettings($0, name: name) }
    }

    static func directories(_ root: String) -> [String] {
        ConfigurationSources.directories(of: RuntimePaths.belfry).map { "\(root)\($0)/listeners.d" }
    }

    /// The section of a file.
    package static let schema = SectionDescription(
        "Listener",
        keys: [
            KeyDescription("On", .notificationNames, default: nil),
            KeyDescription("Exec", .command, default: nil),
            KeyDescription("Timeout", .timeout, default: "10s"),
            KeyDescription("Follows", .listenerNames, default: ""),
            KeyDescription("Socket", .socketPath, default: ListenerSettings.defaultSocket),
            KeyDescription("RunOnStart", .boolean, default: "no"),
            KeyDescription("Health", .command, default: ""),
            KeyDescription("HealthInterval", .healthInterval, default: "30s"),
        ])
}
