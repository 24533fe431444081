// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfryLinux
internal import Glibc
package import Lifecycle

/// What gives a unit a lifecycle: the unit, and what is run for it.
package nonisolated struct ApplicationSettings: Sendable, Equatable {
    /// The name of the application, of the instance of belfryd, and of its listener.
    package let name: String
    /// The unit, `redis-server.service`.
    package let unit: String
    /// The user who runs the commands; nil for one without privileges.
    package let user: String?
    /// Whether `systemctl reload` of the unit asks the instance.
    package let reloadsUnit: Bool
    /// How long a pause may last; nil for as long as nobody ends it.
    package let pauseMax: Duration?
    /// What is run, and how.
    package let listener: ListenerSettings
    /// The first file, for `systemctl status`.
    package let file: String

    /// Its commands.
    package var commands: [ApplicationCommand] {
        guard case .application(_, let commands) = listener.commands else { return [] }
        return commands
    }

    /// The command that is run at a notification, whatever else its verb asks for; nil if there is none.
    package func command(at notification: LifecycleNotification.Name) -> ApplicationCommand? {
        commands.first { $0.notification == notification }
    }

    /// The key of the command that is run for a notification; nil for none.
    package func key(for notification: LifecycleNotification) -> String? { command(for: notification)?.key }

    /// The command that is run for a notification; nil for none.
    package func command(for notification: LifecycleNotification) -> ApplicationCommand? {
        command(at: notification.name, notification.trigger, unitJob: notification.userInfo.text("unitJob"))
    }

    /// The same for what would be notified.
    ///
    /// - Parameters:
    ///   - trigger: the transition that the notification would belong to.
    ///   - unitJob: what systemd would do with the unit of the application.
    package func command(
        at name: LifecycleNotification.Name, _ trigger: LifecycleTrigger?, unitJob: String?
    ) -> ApplicationCommand? {
        commands.first { $0.isFor(name) && $0.verb?.isRun(trigger, unitJob: unitJob) ?? true }
    }
}

/// Whose applications.
package nonisolated enum ApplicationScope: Sendable, Equatable {
    /// Those of the system, below `root`; with `examples` also those in that directory, which are not in use.
    case system(root: String = "", examples: String? = nil)
    /// Those of a user with these directories.
    case user(configuration: String, runtime: String)

    /// Those of this process: of root and of a service of the system those of the system, of any other user's process
    /// the user's. A manager sets XDG_RUNTIME_DIR for the services of its user, and that of the system for none.
    package static var ofProcess: ApplicationScope {
        (geteuid() == 0 ? nil : user(Environment.variables)) ?? .system()
    }

    /// Whether they are for the manager of a user.
    package var isOfUser: Bool { if case .user = self { true } else { false } }

    /// Those of the user with this environment (XDG Base Directory Specification); nil without directories.
    package static func user(_ environment: [String: String]) -> ApplicationScope? {
        func path(_ variable: String) -> String? { environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let runtime = path("XDG_RUNTIME_DIR"),
            let configuration = path("XDG_CONFIG_HOME") ?? path("HOME").map({ "\($0)/.config" })
        else { return nil }
        return .user(configuration: "\(configuration)/\(RuntimePaths.belfry)", runtime: runtime)
    }

    /// The same without the examples.
    var inUse: ApplicationScope { if case .system(let root, _) = self { .system(root: root) } else { self } }

    /// Where the files are, in order of descending priority.
    package var directories: [String] {
        switch self {
        case .system(let root, let examples):
            // Not /run/belfry, which belongs to the user of belfryd: a file may have commands run as root.
            ["/etc", "/usr/local/lib", "/usr/lib"].map { "\(root)\($0)/\(RuntimePaths.belfry)/applications" }
                + [examples].compactMap(\.self)
        case .user(let configuration, _): ["\(configuration)/applications"]
        }
    }

    /// The socket of the instance that stands for an application.
    package func socket(of name: String) -> String {
        let file = "\(InstanceName.full(RuntimePaths.belfry, name))/\(RuntimePaths.socketName)"
        return switch self {
        case .system: "/run/\(file)"
        case .user(_, let runtime): "\(runtime)/\(file)"
        }
    }
}

/// The files `applications/NAME.conf`, with drop-ins `NAME.conf.d/*.conf`.
package nonisolated struct ApplicationFile {
    package static let suffix = ".conf"
    /// The variable that tells the processes of both units their application. It is no option, which a drop-in of the
    /// site with an `ExecStart=` of its own would remove.
    package static let variable = "BELFRY_APPLICATION"
    /// The section about the unit.
    static let application = "Application"
    /// The section about what is run.
    static let on = "On"

    /// The settings; nil if there was an error.
    package var settings: ApplicationSettings? { file.list.hasErrors ? nil : declared }
    /// What is known of them if only the file and its unit are. The instance is bound to the unit whatever else is
    /// wrong: the commands of one that runs have their turn, and a start fails and says what is wrong.
    package private(set) var declared: ApplicationSettings?
    /// The file.
    package private(set) var file: DeclarationFile

    /// Reads the files of the application `name`.
    package init(_ name: String, in scope: ApplicationScope, reader: any ConfigurationFileReader = SystemFileReader()) {
        var sections: (application: ApplicationSection, commands: ApplicationCommands)?
        file = DeclarationFile(name, suffix: Self.suffix, in: scope.directories, reader: reader) { found in
            let application = found.read(Self.application) { ApplicationSection($0) }
            let commands = found.read(Self.on, key: NotificationName.parse) { ApplicationCommands($0, name: name) }
            sections = (application, commands)
        }
        guard let (application, on) = sections else { return }
        let listener = Self.listener(name, scope, reader)
        check(name, scope, listener, application)
        // A listener of this name would get the drop-ins of the application.
        guard let path = file.files.first, !application.unit.isEmpty, listener == nil else { return }
        let settings = ApplicationSettings(
            name: name, unit: application.unit, user: application.user, reloadsUnit: application.reloadsUnit,
            pauseMax: application.pauseMax,
            listener: ListenerSettings(
                name: name, on: on.notifications.map(\.rawValue),
                commands: .application(unit: application.unit, on.commands),
                timeout: application.timeout,
                socket: scope.socket(of: name),
                health: on.health.map { HealthCheck(command: $0, schedule: application.health) }),
            file: path)
        declared = settings
        if application.reloadsUnit, let mistake = settings.reloadMistake(isOfUser: scope.isOfUser) {
            file.error(at: "ReloadUnit", in: Self.application, mistake)
        } else {
            for one in on.commands {
                guard
                    let wait = one.command.wait(
                        for: application.unit, ofUser: scope.isOfUser, reload: application.reloadsUnit)
                else { continue }
                file.error(
                    at: one.key, in: Self.on,
                    "systemctl waits for the \(wait) of '\(application.unit)', which waits for this: use --no-block")
            }
        }
    }

    /// Whether the unit of this process is one of the application, whatever has become of its file.
    package static func isOwn(_ name: String) -> Bool { Environment.variables[variable].map(name.hasSameBytes) == true }

    /// Whether there is such an application: the unit says so, or a file is listed, which need not be readable.
    package static func isDeclared(_ name: String, in scope: ApplicationScope) -> Bool {
        isOwn(name) || names(in: scope) { _ in }.contains(where: name.hasSameBytes)
    }

    /// The names of all applications.
    ///
    /// - Parameter problem: called for a directory that cannot be read.
    package static func names(
        in scope: ApplicationScope, reader: any ConfigurationFileReader = SystemFileReader(),
        problem: (SystemError) -> Void
    ) -> [String] {
        reader.files(in: scope.directories, suffix: suffix, problem: problem).map { path in
            DeclarationFile.name(of: path, suffix: suffix)
        }
    }

    /// The file of a listener with this name.
    private static func listener(
        _ name: String, _ scope: ApplicationScope, _ reader: any ConfigurationFileReader
    ) -> String? {
        guard case .system(let root, _) = scope else { return nil }
        return ListenerFile(name, root: root, reader: reader).file.files.first
    }

    private mutating func check(
        _ name: String, _ scope: ApplicationScope, _ listener: String?, _ application: ApplicationSection
    ) {
        if !file.list.hasErrors, file.effective?.section(Self.on)?.keys.isEmpty == true {
            file.error(
                at: "Unit", in: Self.application, "there is nothing to run, section [On] is missing or empty")
        }
        if ListenerCheck.builtIn.contains(where: name.hasSameBytes) {
            file.error(at: "Unit", in: Self.application, "belfryd has a listener '\(name)' itself, rename the file")
        }
        if (try? AbsolutePath.parseSocket(scope.socket(of: name))) == nil {
            file.error(at: "Unit", in: Self.application, "the name is too long for '\(scope.socket(of: name))'")
        }
        if case .user = scope, application.user != nil {
            file.error(
                at: "User", in: Self.application, "the applications of a user run as this user, remove 'User'")
        }
        if let other = listener {
            file.error(
                at: "Unit", in: Self.application,
                "there is a listener of this name, \(DisplayText.quoted(other)): rename or remove one of them")
        }
    }
}

/// `[Application]`.
private nonisolated struct ApplicationSection {
    /// The longest name of a unit (systemd.unit(5)).
    private static let longestUnit = 255

    let unit: String
    let user: String?
    let reloadsUnit: Bool
    let timeout: Duration
    let pauseMax: Duration?
    let health: HealthSchedule

    init(_ section: SectionReader) {
        unit = section.required("Unit", Self.unit) ?? ""
        user = section.optional("User", AccountName.parse)
        reloadsUnit = section.boolean("ReloadUnit", default: false)
        timeout = section.value("Timeout", TimeSpanText.timeout, default: "10s")
        pauseMax = section.optional("PauseMax", ServiceSettings.timeout)
        health = HealthSchedule(section)
    }

    /// The full name of a service that may be an application. Targets, mounts and what else PID 1 has, and Belfry
    /// itself, cannot.
    private static func unit(_ text: String) throws(ValueProblem) -> String {
        func problem(_ message: String) -> ValueProblem { ValueProblem("\(message), not \(DisplayText.quoted(text))") }
        let suffix = ".service"
        guard text.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8), text.utf8.count > suffix.utf8.count,
            text.utf8.count <= longestUnit
        else { throw problem("expected the full name of a service, such as 'redis-server.service'") }
        guard text.utf8.allSatisfy({ isalnum(Int32($0)) != 0 || ":_.\\@-".utf8.contains($0) }) else {
            throw problem("expected letters, digits, ':', '-', '_', '.', '\\' and '@' in the name of a unit")
        }
        guard !text.utf8.dropLast(suffix.utf8.count).elementsEqual("@".utf8), !text.hasSuffix("@.service") else {
            throw problem("expected a template with its instance, such as 'postgresql@15-main.service'")
        }
        let own = ["belfryd.", "belfryd@", "belfry-listener@", "belfryd-fetch"]
        guard !own.contains(where: text.hasPrefix) else { throw problem("expected a service that is not Belfry's own") }
        return text
    }
}

/// `[On]`.
private nonisolated struct ApplicationCommands {
    var commands: [ApplicationCommand] = []
    let health: ExecCommand?

    /// What is answered: also the end of a pause, so that a `Pause=` that failed counts no longer.
    var notifications: [LifecycleNotification.Name] {
        let names = commands.map(\.notification)
        if names.contains(.willEnterForeground) { return names + [ApplicationVerb.unitDidNotStop] }
        return names + (names.contains(.didEnterBackground) ? [.willEnterForeground] : [])
    }

    /// Reads the commands. Two for one notification are an error.
    init(_ section: SectionReader, name: String) {
        let parse = ExecCommand.parser(instance: name)
        health = section.optional(ApplicationVerb.health.rawValue, parse)
        for verb in ApplicationVerb.allCases {
            guard let notification = verb.notification else { continue }
            add(section.optional(verb.rawValue, parse), verb.rawValue, notification, section)
        }
        for key in section.content.unread {
            guard let name = LifecycleNotification.Name(key.string) else { continue }
            if let problem = Self.problem(of: key.string) { section.error(atAll: key, problem) }
            add(section.optional(key.string, parse), key.string, name, section)
        }
        for key in section.content.keys {
            let entries = section.content.counted(key)
            for (one, next) in zip(entries, entries.dropFirst()) where one.key.file.hasSameBytes(as: next.key.file) {
                section.error(
                    at: key.string, "\(DisplayText.quoted(key.string)) is set twice, and only this command would be run"
                )
            }
        }
    }

    /// Why a key is no notification. One of the user's own has a dot, so that `ExecStop`, which is a key elsewhere, is
    /// none.
    private static func problem(of key: String) -> String? {
        if ["willFinishLaunching", "didFinishLaunching"].contains(where: key.hasSameBytes) {
            return "no command can be run at \(key), use 'Start' or 'didBecomeActive'"
        }
        let verbs = ApplicationVerb.allCases.map(\.rawValue)
        let isOwn = key.utf8.contains(UInt8(ascii: "."))
        let near = NotificationName.nearMiss(key, of: verbs + NotificationName.known)
        if near == nil, isOwn || NotificationName.known.contains(where: key.hasSameBytes) { return nil }
        let meant = near ?? verbs.first { key.hasPrefix($0) || key.hasSuffix($0) }
        let hint = meant.map { "did you mean '\($0)'?" } ?? "expected one of \(verbs.joined(separator: ", "))"
        return "unknown key \(DisplayText.quoted(key)) in section [On], \(hint)"
            + (isOwn ? "" : "; the name of a notification of your own has a dot")
    }

    private mutating func add(
        _ command: ExecCommand?, _ key: String, _ notification: LifecycleNotification.Name, _ section: SectionReader
    ) {
        guard let command else { return }
        if let other = commands.first(where: { $0.notification == notification }) {
            section.error(
                at: key, "\(DisplayText.quoted(key)) and '\(other.key)' are the same notification, use one of them")
        }
        commands.append(ApplicationCommand(key: key, notification: notification, command: command))
    }
}
