// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryEventLoop
import BelfryJSON
import BelfryLinux
import BelfrySystemd
import Glibc

/// A command about the file of an application. It needs no service.
protocol ApplicationFileCommand: ParsableCommand {
    var name: String { get }

    /// Does it.
    ///
    /// - Throws: `ClientFailure`.
    func run(in scope: ApplicationScope) throws -> CommandStatus
}

extension ApplicationFileCommand {
    func run() throws {
        do {
            Glibc.exit(try run(in: .ofProcess).andOutput.rawValue)
        } catch {
            Glibc.exit(CommandStatus(reporting: error).rawValue)
        }
    }

    func validate() throws {
        do throws(ValueProblem) { _ = try NotificationName.parse(name) } catch {
            throw ValidationError("invalid name \(DisplayText.quoted(name)), expected \(NotificationName.rule)")
        }
    }

    /// The file that the administrator, or the user, has or would have.
    func ownFile(_ scope: ApplicationScope) -> String { "\(scope.directories[0])/\(name)\(ApplicationFile.suffix)" }

    /// Prints all problems of the file, or else of the example of this name.
    ///
    /// - Parameter account: the user of a unit, who is to be able to read the files and run the programs. Without it
    ///   only errors are printed.
    /// - Returns: the application.
    func checked(
        _ scope: ApplicationScope, account: ((_ unit: String, _ user: String?) -> FileAccount?)? = nil
    ) throws -> ApplicationSettings {
        let check = ApplicationCheck(name, in: scope.withExamples, account: account ?? { _, _ in nil })
        let told = account == nil ? check.diagnostics.filter { $0.severity == .error } : check.diagnostics
        StandardStream.error.write(told.map(\.description))
        if let application = check.applications.first, !check.diagnostics.contains(where: { $0.severity == .error }) {
            return application
        }
        let names = ApplicationFile.names(in: scope.withExamples) { _ in }
        let ofUnit = names.first {
            [name, "\(name).service"].contains(ApplicationFile($0, in: scope.withExamples).settings?.unit)
        }
        guard !names.contains(name), let near = ofUnit ?? NearestName.find(name, in: names) else {
            throw ClientFailure(.configuration)
        }
        throw ClientFailure(.configuration, "did you mean '\(near)'?")
    }

    private func warn(_ text: String) { StandardStream.error.write(["\(name): warning: \(text)"]) }

    /// Whether the unit can have a lifecycle.
    ///
    /// - Throws: `ClientFailure` for one that is never active, or cannot be reloaded through Belfry.
    func checkKind(of application: ApplicationSettings) throws {
        let unit = application.unit
        let properties: UnitProperties
        do {
            properties = try MainActor.assumeIsolated { try ServiceManagerUnit.properties(of: unit) }
        } catch {
            return StandardStream.error.write(["\(name): \(error), whether \(unit) fits is not known"])
        }
        let state = properties.text("LoadState")
        if state != "loaded" { warn("\(unit) cannot start, LoadState=\(state)") }
        let memory = ApplicationVerb.memoryWarning.notification.flatMap(application.command(at:))
        if let memory, access("/proc/pressure/memory", F_OK) != 0 {
            warn("\(memory.key)= may not run: this kernel has no '/proc/pressure/memory'")
        }
        if let obstacle = application.reloadObstacle(in: properties) { throw ClientFailure(.configuration, obstacle) }
        guard properties.text("Type") == "oneshot" else { return }
        guard properties.isOn("RemainAfterExit") else {
            throw ClientFailure(
                .configuration,
                "\(unit) is a job (Type=oneshot without RemainAfterExit=), and never active: no command would be run")
        }
        let parts = properties.texts("ConsistsOf").prefix(8).joined(separator: ", ")
        let hint = parts.isEmpty ? "" : ", and stands for \(parts): use one of these"
        warn("\(unit) has no process (Type=oneshot)\(hint)")
    }

    /// The example of this name, which need not exist.
    var example: String { "\(ApplicationScope.examples)/\(name)\(ApplicationFile.suffix)" }

    var instance: String { "belfryd@\(name).service" }
    var listener: String { "belfry-listener@\(name).service" }
}

/// `belfryctl enable`.
struct EnableCommand: ApplicationFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Give an application its lifecycle now, and whenever its unit starts.",
        discussion: """
            Checks /etc/belfry/applications/NAME.conf, or uses the example of this name, reloads systemd, and starts \
            the instance if the unit runs. Also after a change of the file. The unit itself is not restarted. The exit \
            status is 78 if the application does not work then, for example because a command cannot be run.
            """)

    @Argument(help: "The name of the application.", completion: .applications)
    var name: String

    @Argument(help: "The instance of the template that its unit is of, such as 17-main; a drop-in keeps it.")
    var unitInstance: String?

    func run(in scope: ApplicationScope) throws -> CommandStatus {
        if let unitInstance { try write(unitInstance, in: scope) }
        let found = try checked(scope)
        try checkKind(of: found)
        if found.file == example {
            let link = ownFile(scope)
            guard symlink(example, link) == 0 else { throw SystemError.last(verb: "make", object: link) }
            StandardStream.output.write(["made '\(link)', a link to '\(example)'"])
        }
        try Systemctl.run("daemon-reload")
        // Now that systemd knows the user of the commands.
        let application = try checked(scope) { unit, _ in MainActor.assumeIsolated { FileAccount.ofUnit(unit) } }
        let (unit, own) = try MainActor.assumeIsolated {
            (try ServiceManagerUnit.properties(of: application.unit), try ServiceManagerUnit.properties(of: instance))
        }
        guard own.text("SourcePath").hasSameBytes(as: application.file) else {
            let isMasked = own.text("LoadState") == "masked"
            let reason = isMasked ? "is masked" : "was not generated, see 'journalctl -t belfry-generator'"
            throw ClientFailure(.system, "'\(instance)' \(reason)")
        }
        if unit.text("LoadState") == "loaded", let bypass = application.reloadBypass(in: unit) {
            throw ClientFailure(.configuration, bypass)
        }
        // Both at once, so that systemd orders them. It runs no command of the application.
        if unit.text("ActiveState") == "activating" { try Systemctl.run("restart", "--no-block", listener, instance) }
        guard unit.isActive else {
            StandardStream.output.write([
                "\(name): begins when \(application.unit) starts, and looks then whether its commands can be run"
            ])
            guard unit.text("LoadState") == "loaded" else { return .configuration }
            if let at = application.unit.utf8.firstIndex(of: UInt8(ascii: "@")) {
                let all = "\(application.unit[...at])*"
                StandardStream.output.write(["\(name): what runs of \(all), see 'belfryctl enable \(name) INSTANCE':"])
                _ = try Systemctl.status(["--no-pager", "--plain", "--no-legend", "--state=active", "list-units", all])
            }
            return .success
        }
        do {
            try Systemctl.run("restart", listener, instance)
        } catch {
            // It has the words of systemd for what is wrong: status=217/USER.
            _ = try Systemctl.status(["--no-pager", "--full", "--lines=3", "status", listener, instance])
            throw error
        }
        StandardStream.output.write(["\(name): \(instance) stands for \(application.unit)"])
        return try MainActor.assumeIsolated { try Self.health(of: application, at: scope.socket(of: name)) }
    }

    /// Writes the drop-in that sets another instance of the template, which `checked` then checks.
    private func write(_ unitInstance: String, in scope: ApplicationScope) throws {
        let unit = try checked(scope).unit
        guard let at = unit.utf8.firstIndex(of: UInt8(ascii: "@")), (try? InstanceName.parse(unitInstance)) != nil
        else {
            throw ClientFailure(.usage, "\(unit) cannot have the instance \(DisplayText.quoted(unitInstance))")
        }
        let folder = ownFile(scope) + ".d"
        let file = folder + "/instance.conf"
        let text = "# Written by belfryctl enable.\n[Application]\nUnit=\(unit[...at])\(unitInstance).service\n"
        // Both users must be able to read it, whatever the shell of root keeps from others.
        umask(0o022)
        mkdir(folder, 0o755)
        guard let stream = fopen(file, "we") else { throw SystemError.last(verb: "write", object: file) }
        let isWritten = fputs(text, stream) >= 0
        guard fclose(stream) == 0, isWritten else { throw SystemError.last(verb: "write", object: file) }
        StandardStream.output.write(["wrote '\(file)'"])
    }

    /// What the instance says. It was ready only when its listener was attached, which has looked at the programs. The
    /// first run of `Health=` is waited for, which there is none of in a pause.
    @MainActor private static func health(
        of application: ApplicationSettings, at socket: String
    ) throws -> CommandStatus {
        let end = MonotonicInstant.now.advanced(by: application.listener.timeout)
        let context = try CommandContext("belfryctl", path: socket, timeout: nil)
        MainThreadExecutor.task {
            await context.finish {
                let client = try context.connect()
                while true {
                    let state = try await client.call("GetState", to: "get the state of", within: context.queryTimeout)
                    let reply = try await client.call(
                        "ListListeners", to: "list the listeners of", within: context.queryTimeout)
                    let hasRun = reply.objects("listeners").allSatisfy {
                        $0.text("healthReason") != HealthCheck.hasNotRun
                    }
                    let isActive = state.text("state") == "active"
                    guard hasRun || !isActive || MonotonicInstant.now >= end else {
                        usleep(100_000)
                        continue
                    }
                    if state["state"] == "background", let word = state["lastWord"]?.objectValue {
                        StandardStream.output.write(["\(application.name): \(ExitRecordText.lines(word)[0])"])
                    }
                    // Other commands ran before, perhaps from an earlier file.
                    let start = state["failedCommands"]?["Start"].map { ["Start": $0] as JSONObject }
                    let shown = state.merging(["failedCommands": start.map { .object($0) } ?? .null]) { $1 }
                    let problems = ListenerRecords.problems(reply, of: shown, isActive: isActive)
                    StandardStream.error.write(problems.map { "\(application.name): \($0)" })
                    return problems.isEmpty ? .success : .configuration
                }
            }
        }
        return CommandStatus(rawValue: try context.loop.run())
    }
}

/// `belfryctl disable`.
struct DisableCommand: ApplicationFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Take the lifecycle from an application, which runs on.",
        discussion:
            "Removes the link that 'enable' has made. A file of your own stays, and is used when the unit starts.")

    @Argument(help: "The name of the application.", completion: .applications)
    var name: String

    func run(in scope: ApplicationScope) throws -> CommandStatus {
        let file = ownFile(scope)
        if FileContent.target(of: file) == example {
            guard unlink(file) == 0 else { throw SystemError.last(verb: "remove", object: file) }
            StandardStream.output.write(["removed '\(file)'"])
        } else if !ApplicationFile.isDeclared(name, in: scope) {
            StandardStream.error.write(["\(name): it is not enabled"])
        }
        // Also without the link: it may have failed the last time.
        try Systemctl.run("daemon-reload")
        let settings = ApplicationFile(name, in: scope.withExamples).settings
        try Systemctl.run("stop", instance, listener)
        if let pause = ListCommand.pause(keptBeside: scope.socket(of: name)) {
            let command = ApplicationVerb.resume.notification.flatMap { settings?.command(at: $0)?.command }
            let resume = command.map { "; its Resume= is: \(PrintableText.line($0.text))" }
            StandardStream.error.write([
                "\(name): still \(MainActor.assumeIsolated { ExitRecordText.lines(pause)[0] })",
                "nothing resumes it now\(resume ?? "")",
            ])
        }
        let rest = ApplicationFile(name, in: scope)
        if let file = rest.file.files.first {
            let reload = rest.settings?.reloadsUnit == true ? ", and 'systemctl reload' of it fails until then" : ""
            StandardStream.error.write([
                "\(name): begins again when its unit starts\(reload); to prevent that:",
                "rm '\(SystemError.escape(file))'; systemctl daemon-reload",
            ])
        }
        return .success
    }
}

/// `belfryctl check`.
struct CheckCommand: ApplicationFileCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check the file of an application, and print what systemd gets from it.",
        discussion: "Without a file of this name it checks the example that 'enable' would use.")

    @Argument(help: "The name of the application.", completion: .applications)
    var name: String

    func run(in scope: ApplicationScope) throws -> CommandStatus {
        let application = try checked(scope) { unit, user in
            MainActor.assumeIsolated { FileAccount.ofUnit(unit, user: user) }
        }
        try checkKind(of: application)
        for file in GeneratedUnits(application, isOfUser: scope.isOfUser).files {
            switch file.content {
            case .text(let text): StandardStream.output.write(["# \(file.path)", text])
            case .link(let target): StandardStream.output.write(["# \(file.path) -> \(target)"])
            }
        }
        return .success
    }
}

/// systemctl(1), for root that of the system.
enum Systemctl {
    /// - Throws: `ClientFailure` when it fails. It has said why.
    static func run(_ arguments: String...) throws {
        let code = try status(arguments)
        guard code == 0 else {
            throw ClientFailure(
                .system, "'systemctl \(arguments.joined(separator: " "))' failed with exit status \(code)")
        }
    }

    /// - Returns: its exit status.
    static func status(_ arguments: [String]) throws(SystemError) -> Int32 {
        let pid = try ForegroundProcess.spawn(["systemctl"] + (geteuid() == 0 ? [] : ["--user"]) + arguments)
        var code: Int32 = 0
        while waitpid(pid, &code, 0) < 0, errno == EINTR {}
        return code & 0x7f == 0 ? code >> 8 & 0xff : 128 + code & 0x7f
    }
}

extension ApplicationScope {
    /// The folder of the examples, beside that of this program.
    fileprivate static var examples: String {
        guard let path = realpath(AttachCommand.directory + "../share/belfry/applications", nil) else {
            return "/usr/share/belfry/applications"
        }
        defer { free(path) }
        return String(cString: path)
    }

    /// The same with the examples, which are for the system.
    var withExamples: ApplicationScope { self == .system() ? .system(examples: Self.examples) : self }
}
