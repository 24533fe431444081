// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// A program as a listener: what it answers, and how it is run.
package nonisolated struct ListenerSettings: Sendable, Equatable {
    /// The timeout if none is set. Services have the same default (`ListenerTimeout=`).
    package static let defaultTimeout = Duration.seconds(10)
    /// The socket if none is set.
    package static let defaultSocket = "/run/belfry/io.belfry.Lifecycle"

    /// The name of the listener.
    package let name: String
    /// The names of the notifications that the program is run for.
    package let on: [String]
    /// The program and its arguments.
    package let command: ExecCommand
    /// How long one run may take, from the notification on.
    package let timeout: Duration
    /// The listeners that are called before this one for arriving notifications.
    package let follows: [String]
    /// The socket of the service.
    package let socket: String
    /// Whether the program is also run once after each attachment.
    package let runsOnStart: Bool

    /// The settings of a listener.
    package init(
        name: String, on: [String], command: ExecCommand, timeout: Duration = defaultTimeout, follows: [String] = [],
        socket: String = defaultSocket, runsOnStart: Bool = false
    ) {
        self.name = name
        self.on = on
        self.command = command
        self.timeout = timeout
        self.follows = follows
        self.socket = socket
        self.runsOnStart = runsOnStart
    }

    /// Decodes a file that was resolved without an error.
    fileprivate init(_ section: EffectiveSection, name: String) throws(ValueProblem) {
        self.init(
            name: name, on: section.required("On"), command: try ExecCommand(section.required("Exec"), instance: name),
            timeout: section.optional("Timeout") ?? Self.defaultTimeout, follows: section.required("Follows"),
            socket: section.required("Socket"), runsOnStart: section.required("RunOnStart"))
    }
}

/// The files `NAME.listener` in `/etc/belfry/listeners.d`, `/run/belfry/listeners.d`, `/usr/local/lib/belfry/listeners.d` and
/// `/usr/lib/belfry/listeners.d`, with drop-ins `NAME.listener.d/*.conf`, as for `belfry.conf`.
package nonisolated struct ListenerFile {
    static let suffix = ".listener"

    /// The settings; nil if there was an error.
    package let settings: ListenerSettings?
    /// All errors and warnings.
    package let diagnostics: [ConfigurationDiagnostic]
    private let section: EffectiveSection?

    /// Where a key is set; the beginning of the file if it is not.
    func position(of key: String) -> ConfigurationPosition? { section?.position(of: key) ?? section?.content.position }

    /// Reads the file of the listener `name`.
    ///
    /// - Parameter root: a prefix of all paths.
    package init(_ name: String, root: String = "", reader: any ConfigurationFileReader = SystemFileReader()) {
        let paths = Self.directories(root).map { "\($0)/\(name)\(Self.suffix)" }
        var loader = ConfigurationLoader(reader: reader)
        do throws(ValueProblem) {
            _ = try NotificationName.parse(name)
        } catch {
            loader.diagnostics.error(
                at: ConfigurationPosition(file: paths[0]),
                "invalid name \(DisplayText.quoted(name)), expected \(NotificationName.rule)")
            (settings, section, diagnostics) = (nil, nil, loader.diagnostics.diagnostics)
            return
        }
        loader.search(paths)
        let (effective, others) = ConfigurationResolver.resolve(
            loader.sections, schema: [Self.schema], diagnostics: &loader.diagnostics)
        for section in others {
            let unknown = ConfigurationResolver.unknown(section, of: [Self.schema.name])
            loader.diagnostics.error(at: section.name.position, unknown)
        }
        let section = effective.section(Self.schema.name)
        if loader.files.isEmpty, !loader.diagnostics.hasErrors {
            loader.diagnostics.error(at: ConfigurationPosition(file: paths[0]), "there is no such file")
        } else if section.content.position == nil, !loader.diagnostics.hasErrors {
            loader.diagnostics.error(
                at: ConfigurationPosition(file: loader.files[0]), "missing section [\(Self.schema.name)]")
        }
        settings = loader.diagnostics.hasErrors ? nil : try? ListenerSettings(section, name: name)
        self.section = section
        diagnostics = loader.diagnostics.sorted(files: loader.files)
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
            KeyDescription("Timeout", .finiteTimeSpan, default: "10s"),
            KeyDescription("Follows", .listenerNames, default: ""),
            KeyDescription("Socket", .socketPath, default: ListenerSettings.defaultSocket),
            KeyDescription("RunOnStart", .boolean, default: "no"),
        ])
}

nonisolated extension ValueKind {
    /// The command line of a program.
    fileprivate static let command = ValueKind { text, _ throws(ValueProblem) in
        _ = try ExecCommand(text, instance: "x")
        return .text(UTF8Text(text))
    }

    /// A time span of at least a millisecond and at most a day.
    fileprivate static let finiteTimeSpan = ValueKind { text, _ throws(ValueProblem) in
        guard let span = try TimeSpanText.parse(text), (.milliseconds(1) ... .seconds(86400)).contains(span) else {
            throw ValueProblem("expected a time span from 1ms to 1d")
        }
        return .duration(span)
    }
}
