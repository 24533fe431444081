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
import Varlink

/// `belfryctl list`.
struct ListCommand: ReplyCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the services that run, and the applications that do not.",
        discussion: """
            Asks the services with a socket io.belfry.Lifecycle in a directory of /run or $XDG_RUNTIME_DIR, all at \
            once. Those that do not reply are named on standard error. A service chooses its name itself; the socket \
            is where it was found. Applications without an instance that runs come last, with state '-' and the state \
            of their unit, or the reason why the instance has failed. With --failed each thing that is wrong is a \
            line, and there are no others; the exit status is 1 if there is one, or if a service does not reply.
            """)

    @OptionGroup var options: ReplyOptions

    @Flag(help: "List only what is wrong.")
    var failed = false

    @Option(
        help: ArgumentHelp("How long a pause or a hold may last with --failed. Default: 1d.", valueName: "time"),
        transform: TimeLimit.init)
    var pausedFor: TimeLimit?

    func validate() throws {
        guard connection.socket != nil || connection.instance != nil else { return }
        throw ValidationError("--socket and --instance name one service, 'belfryctl status' shows it")
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let sockets = ServiceSearch.sockets(environment: Environment.variables, uid: geteuid())
        let requests = sockets.map { socket in
            MainThreadExecutor.task { await Self.ask(socket, within: context.queryTimeout, context.loop) }
        }
        var (services, isSilent): ([JSONObject], Bool) = ([], false)
        for request in requests {
            switch await request.value {
            case .success(let service): services.append(service)
            // A process that was killed has left it.
            case .failure(let failure) where failure.lines[0].hasSuffix("(ECONNREFUSED)"): break
            case .failure(let failure):
                failure.lines.first.map(context.note)
                isSilent = true
            }
        }
        Self.addFileErrors(to: &services)
        services += Self.idleApplications(besides: services.compactMap { $0.text("socket") })
        if failed {
            let longest = pausedFor.map(\.duration) ?? .seconds(24 * 60 * 60)
            services = services.compactMap { service in
                let lasting = Self.events(service).filter { .microseconds($0.age) > longest ?? .seconds(Int64.max) }
                let problems = service.texts("problems") + lasting.map(\.text)
                let all = JSONValue.array(problems.map { .string($0) })
                return problems.isEmpty ? nil : service.merging(["problems": all]) { $1 }
            }
        }
        context.print(["services": .array(services.map { .object($0) })], json: json) { reply, style in
            guard failed else { return Self.lines(reply, style) }
            return services.flatMap { one in one.texts("problems").map { "\(one.textOrDash("service")): \($0)" } }
        }
        return failed && (isSilent || !services.isEmpty) ? .failure : .success
    }

    /// What goes on in a service, and since how many microseconds.
    @MainActor private static func events(_ service: JSONObject) -> [(text: String, age: Int64)] {
        let now = CommandContext.now
        var events: [(text: String, age: Int64)] = []
        if let pause = service["paused"]?.objectValue {
            events.append((ExitRecordText.lines(pause)[0], now.subtracting(pause.number("realtimeUsec") ?? now)))
        }
        if let change = service["transition"]?.objectValue {
            events.append((StatusText.transition(change, now), 0))
        }
        return events + service.objects("holds").map { ("held for \(StatusText.hold($0))", $0.number("ageUsec") ?? 0) }
    }

    /// The applications without an instance at one of these sockets, with the states of their units if systemd can be
    /// asked, and the pauses that their next start finds. They have a file, or one that is gone was there for the
    /// generator (systemd.generator(7)).
    ///
    /// - Parameter socket: only the application whose instance would be at this one.
    @MainActor private static func idleApplications(
        besides sockets: [String] = [], only socket: String? = nil
    ) -> [JSONObject] {
        let scope = ApplicationScope.ofProcess
        let runtime = scope.isOfUser ? Environment.variables["XDG_RUNTIME_DIR"] ?? "" : "/run"
        let (start, end) = ("\(runtime)/systemd/generator/belfryd@", ".service.d")
        let generated = ServiceSearch.paths(matching: "\(start)*\(end)").map {
            String($0.dropFirst(start.count).dropLast(end.count))
        }
        var isReachable = true
        return Set(ApplicationFile.names(in: scope) { _ in } + generated).sorted().compactMap { name in
            if let socket, !scope.socket(of: name).hasSameBytes(as: socket) { return nil }
            let service = "belfryd@\(name)"
            var (application, isWrong) = (fileError(name), true)
            let settings = ApplicationFile(name, in: scope).settings
            if sockets.contains(scope.socket(of: name)) { return nil }
            let isMade = isReachable && generated.contains(name)
            let instance = isMade ? try? ServiceManagerUnit.properties(of: "\(service).service") : nil
            if let instance, instance.text("ActiveState") == "failed" {
                // After a signal the status is an old one.
                let status = instance.text("Result") == "exit-code" ? ": \(instance.text("StatusText"))" : ""
                application = "failed (\(instance.text("Result")))\(status)"
            } else if let settings {
                let unit = isReachable ? try? ServiceManagerUnit.properties(of: settings.unit) : nil
                isReachable = unit != nil
                let load = unit?.text("LoadState") ?? "loaded"
                let isThere = load != "not-found"
                let state = load == "loaded" ? unit.map { UnitWatch.State($0).text } : isThere ? load : "not there"
                application = "\(settings.unit) is \(state ?? "not known to run")"
                // It runs without its lifecycle. An instance that starts, and not after a failure, has no socket yet.
                let hasJob = instance?.list("Job").first.map { $0 != .number(0) } ?? false
                let isStarting = hasJob || instance?.text("SubState").hasPrefix("start") == true
                let isAlone = unit?.isActive ?? true && !isStarting
                isWrong = isAlone || !isThere || unit?.text("ActiveState") == "failed"
                let isSilent = instance?.isActive == true
                let fault = isSilent ? "\(service) does not reply" : "not \(service), see 'belfryctl enable \(name)'"
                if isAlone, unit != nil { application += ", but \(fault)" }
            }
            var row: JSONObject = ["service": .string(service), "application": .string(application)]
            row["paused"] = pause(keptBeside: scope.socket(of: name)).map { .object($0) }
            var problems = isWrong ? [application] : []
            do throws(ClientFailure) {
                row["failedCommands"] = try failedCommands(keptBeside: scope.socket(of: name)).map { .object($0) }
                problems += ListenerRecords.failedCommands(of: row).filter { isWrong || !$0.isOfRun }.map(\.text)
            } catch {
                problems += error.lines
            }
            if !problems.isEmpty { row["problems"] = .array(problems.map { .string($0) }) }
            return row
        }
    }

    /// What `list` says of the application whose instance would be at this socket, if there is one.
    @MainActor static func idleApplication(at socket: String) -> [String] {
        idleApplications(only: socket).map { "\($0.textOrDash("service")) cannot be reached: \(facts($0))" }
    }

    /// Who paused an instance that does not run, which only root and its user may read; nil if it is not paused.
    static func pause(keptBeside socket: String) -> JSONObject? {
        do {
            guard let bytes = try kept("paused", beside: socket) else { return nil }
            return try JSONValue(json: bytes)["lastWord"]?.objectValue ?? ["kind": "paused"]
        } catch {
            // Such a file is a pause for the next process, too.
            return ["kind": "paused"]
        }
    }

    /// The commands of an instance that does not run that have failed; nil if there are none.
    static func failedCommands(keptBeside socket: String) throws(ClientFailure) -> JSONObject? {
        do {
            return try kept("failed-commands", beside: socket).flatMap { try JSONValue(json: $0).objectValue }
        } catch {
            throw ClientFailure(.system, "not known which commands have failed: \(error)")
        }
    }

    /// What an instance has left for its next start in the file of this name; nil if there is none.
    private static func kept(_ name: String, beside socket: String) throws(SystemError) -> [UInt8]? {
        let path = String(socket.dropLast(ServiceClient.interface.utf8.count)) + name
        func file(_ path: String) -> StateFile { StateFile(path: path, limit: 256 << 10) }
        // The copy outlives the machine. For a user's service systemd chooses the place by its version.
        let isOfSystem = path.utf8.starts(with: "/run/belfry@".utf8)
        if let bytes = try file(path).read() { return bytes }
        return isOfSystem ? try file("/var/lib" + path.dropFirst("/run".count)).read() : nil
    }

    private static func fileError(_ name: String) -> String { "error in its file, see 'belfryctl check \(name)'" }

    /// Adds to services that run that their application has a file with which they do not start again.
    @MainActor private static func addFileErrors(to services: inout [JSONObject]) {
        let scope = ApplicationScope.ofProcess
        // Others may not be allowed to read them.
        guard scope.isOfUser || geteuid() == 0 else { return }
        let check = ApplicationCheck(in: scope) { FileAccount.ofUnit($0, user: $1) }
        let errors = Dictionary(check.wrong.map { (scope.socket(of: $0), fileError($0)) }) { first, _ in first }
        for (place, service) in services.enumerated() {
            guard let error = service.text("socket").flatMap({ errors[$0] }) else { continue }
            services[place]["application"] = .string("\(service.text("application") ?? "running"), \(error)")
            services[place]["problems"] = .array((service["problems"]?.arrayValue ?? []) + [.string(error)])
        }
    }

    @MainActor private static func ask(
        _ socket: String, within limit: Duration?, _ loop: MainEventLoop
    ) async -> Result<JSONObject, ClientFailure> {
        do throws(ClientFailure) {
            let client = try ServiceClient(socket, on: loop)
            let state = try await client.call("GetState", to: "get the state of", within: limit)
            var service: JSONObject = [:]
            for key in ["service", "state", "version", "pid", "transition"] { service[key] = state[key] }
            service["socket"] = .string(socket)
            let holds = try? await client.call("ListHolds", to: "list the holds of", within: limit)
            service["holds"] = holds?["holds"]
            // One that has ended is still the last word while the next one begins.
            let isPaused = state["lastWord"]?["kind"] == "paused" && state["lastWord"]?["endedBy"] == nil
            service["paused"] = isPaused && state["state"] == "background" ? state["lastWord"] : nil
            let reply = try await client.call("ListListeners", to: "list the listeners of", within: limit)
            let isActive = state["state"] == "active"
            let problems = ListenerRecords.problems(reply, of: state, isActive: isActive)
            service["health"] = .string(ListenerRecords.health(reply, of: state, isActive: isActive))
            let listeners = reply.objects("listeners")
            service["application"] = listeners.first { $0.text("name") == "application" }?["activity"]
            // A listener has its deadline, and what else a stop waits for may take long.
            let names = Set(listeners.map { UTF8Text($0.textOrDash("name")) })
            let change = state["transition"]?.objectValue ?? [:]
            let isHeld = change.texts("waitingFor").contains { !names.contains(UTF8Text($0)) }
            service["failedCommands"] = state["failedCommands"]
            let others = ListenerRecords.failedCommands(of: state).filter { !$0.isOfRun }.map(\.text)
            let stop = isHeld && change["trigger"] == "stop" ? [StatusText.transition(change, CommandContext.now)] : []
            service["problems"] = .array((problems + others + stop).map { .string($0) })
            return .success(service)
        } catch {
            return .failure(error)
        }
    }

    @MainActor private static func facts(_ service: JSONObject) -> String {
        let failed = ListenerRecords.failedCommands(of: service).map(\.text)
        let facts = [service.text("application")].compactMap(\.self) + failed + events(service).map(\.text)
        return facts.isEmpty ? "-" : facts.joined(separator: ", ")
    }

    /// A row for each service.
    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([
            ("NAME", .left), ("STATE", .left), ("HEALTH", .left), ("VERSION", .left), ("PID", .right),
            ("APPLICATION", .left), ("SOCKET", .left),
        ])
        for service in reply.objects("services") {
            table.add([
                service.textOrDash("service"), TextStyle.plain.state(of: service), service.textOrDash("health"),
                service.textOrDash("version"), service.numberOrDash("pid"),
                facts(service),
                service.textOrDash("socket"),
            ])
        }
        return table.lines(style)
    }
}
