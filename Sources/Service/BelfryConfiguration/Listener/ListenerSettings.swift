// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

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

    /// The commands whose failure counts, by their keys in the file.
    package var programs: [(key: String, command: ExecCommand)] {
        let own: [(key: String, command: ExecCommand)] =
            switch commands {
            case .program(let command): [("Exec", command)]
            case .application(_, let commands): commands.map { ($0.key, $0.command) }
            }
        let all = own + (health.map { [(ApplicationVerb.health.rawValue, $0.command)] } ?? [])
        return all.filter { !$0.command.ignoresFailure }
    }

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

    /// Reads the settings; nil if there is nothing to run.
    fileprivate init?(_ section: SectionReader, name: String) {
        let on = section.names("On", default: nil).map(\.rawValue)
        let command = section.required("Exec", ExecCommand.parser(instance: name))
        let timeout = section.value("Timeout", TimeSpanText.timeout, default: "10s")
        let follows = section.list("Follows") { $0 }
        let socket = section.value("Socket", AbsolutePath.parseSocket, default: Self.defaultSocket)
        let runsOnStart = section.boolean("RunOnStart", default: false)
        let health = section.optional("Health", ExecCommand.parser(instance: name))
        let schedule = HealthSchedule(section)
        guard let command else { return nil }
        self.init(
            name: name, on: on, commands: .program(command), timeout: timeout, follows: follows, socket: socket,
            runsOnStart: runsOnStart, health: health.map { HealthCheck(command: $0, schedule: schedule) })
    }
}

/// What a listener runs.
package nonisolated enum ListenerCommands: Sendable, Equatable {
    /// The same program at each notification: `Exec=`.
    case program(ExecCommand)
    /// Each command of an application at its own, for its unit.
    case application(unit: String, [ApplicationCommand])

    /// What is run: of an application the command with this key in its file; nil for nothing.
    package func command(of key: String?) -> ExecCommand? {
        switch self {
        case .program(let command): command
        case .application(_, let commands):
            key.flatMap { key in commands.first { $0.key.hasSameBytes(as: key) } }?.command
        }
    }
}

/// The files `NAME.listener` in `/etc/belfry/listeners.d`, `/run/belfry/listeners.d`,
/// `/usr/local/lib/belfry/listeners.d` and `/usr/lib/belfry/listeners.d`, with drop-ins `NAME.listener.d/*.conf`, as
/// for `belfry.conf`.
package nonisolated struct ListenerFile {
    static let suffix = ".listener"
    /// The section of a file.
    static let section = "Listener"

    /// The settings; nil if there was an error.
    package let settings: ListenerSettings?
    /// The file.
    package let file: DeclarationFile

    /// Reads the file of the listener `name`.
    ///
    /// - Parameter root: a prefix of all paths.
    package init(_ name: String, root: String = "", reader: any ConfigurationFileReader = SystemFileReader()) {
        var settings: ListenerSettings?
        file = DeclarationFile(name, suffix: Self.suffix, in: Self.directories(root), reader: reader) { sections in
            settings = sections.read(Self.section) { ListenerSettings($0, name: name) }
        }
        self.settings = file.list.hasErrors ? nil : settings
    }

    static func directories(_ root: String) -> [String] {
        ConfigurationSources.directories(of: RuntimePaths.belfry).map { "\(root)\($0)/listeners.d" }
    }
}
