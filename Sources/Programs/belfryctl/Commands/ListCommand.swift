// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryConfiguration
import BelfryEventLoop
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
            of their unit, or the reason why the instance has failed.
            """)

    @OptionGroup var options: ReplyOptions

    func validate() throws {
        guard connection.socket != nil || connection.instance != nil else { return }
        throw ValidationError("--socket and --instance name one service, 'belfryctl status' shows it")
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        let sockets = ServiceSearch.sockets(environment: Environment.variables, uid: geteuid())
        let requests = sockets.map { socket in
            MainThreadExecutor.task { await Self.ask(socket, within: context.queryTimeout, context.loop) }
        }
        var services: [JSONObject] = []
        for request in requests {
            switch await request.value {
            case .success(let service): services.append(service)
            case .failure(let failure): failure.lines.first.map(context.note)
            }
        }
        services += Self.idleApplications(besides: services.compactMap { $0.text("socket") })
        context.print(["services": .array(services.map { .object($0) })], json: json) { Self.lines($0, $1) }
        return .success
    }

    /// The applications without an instance at one of these sockets, with the states of their units if systemd can be
    /// asked, and the pauses that their next start finds. They have a file, or one that is gone was there for the
    /// generator (systemd.generator(7)).
    @MainActor private static func idleApplications(besides sockets: [String]) -> [JSONObject] {
        let scope = ApplicationScope.ofProcess
        let runtime = scope.isOfUser ? Environment.variables["XDG_RUNTIME_DIR"] ?? "" : "/run"
        let (start, end) = ("\(runtime)/systemd/generator/belfryd@", ".service.d")
        let generated = ServiceSearch.paths(matching: "\(start)*\(end)").map {
            String($0.dropFirst(start.count).dropLast(end.count))
        }
        var isReachable = true
        return Set(ApplicationFile.names(in: scope) { _ in } + generated).sorted().compactMap { name in
            var application = "error in its file, see 'belfryctl check \(name)'"
            let settings = ApplicationFile(name, in: scope).settings
            if sockets.contains(scope.socket(of: name)) { return nil }
            let isMade = isReachable && generated.contains(name)
            let instance = isMade ? try? ServiceManagerUnit.properties(of: "belfryd@\(name).service") : nil
            if let instance, instance.text("ActiveState") == "failed" {
                application = "failed (\(instance.text("Result"))): \(instance.text("StatusText"))"
            } else if let settings {
                let unit = isReachable ? try? ServiceManagerUnit.properties(of: settings.unit) : nil
                isReachable = unit != nil
                let state = unit?.text("LoadState") == "not-found" ? "not there" : unit.map { UnitWatch.State($0).text }
                application = "\(settings.unit) is \(state ?? "not known to run")"
            }
            var service: JSONObject = ["service": .string("belfryd@\(name)"), "application": .string(application)]
            service["paused"] = pause(keptBeside: scope.socket(of: name))
            return service
        }
    }

    /// Who paused an instance that does not run, which only root and its user may read; nil if it is not paused.
    @MainActor private static func pause(keptBeside socket: String) -> JSONValue? {
        let file = String(socket.dropLast(ServiceClient.interface.utf8.count)) + "paused"
        guard access(file, F_OK) == 0 else { return nil }
        let run = try? JSONValue(json: SystemFileReader().read(file, limit: 256 << 10))
        return run?["lastWord"] ?? ["kind": "paused"]
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
            if let reply = try? await client.call("ListListeners", to: "list the listeners of", within: limit) {
                service["health"] = .string(ListenerRecords.problems(reply).isEmpty ? "healthy" : "not healthy")
                let application = reply.objects("listeners").first { $0.text("name") == "application" }
                service["application"] = application?["activity"]
                if application != nil, state["state"] == "background", state["lastWord"]?["kind"] == "paused" {
                    service["paused"] = state["lastWord"]
                }
            }
            return .success(service)
        } catch {
            return .failure(error)
        }
    }

    /// A row for each service.
    @MainActor static func lines(_ reply: JSONObject, _ style: TextStyle) -> [String] {
        var table = TextTable([
            ("NAME", .left), ("STATE", .left), ("HEALTH", .left), ("VERSION", .left), ("PID", .right),
            ("APPLICATION", .left), ("SOCKET", .left),
        ])
        for service in reply.objects("services") {
            let pause = service["paused"]?.objectValue.map { ExitRecordText.lines($0)[0] }
            let wait = service["transition"]?.objectValue.map { StatusText.transition($0, CommandContext.now) }
            let facts =
                [service.textOrDash("application"), pause, wait].compactMap(\.self)
                + service.objects("holds").map { "held for \(StatusText.hold($0))" }
            table.add([
                service.textOrDash("service"), TextStyle.plain.state(of: service), service.textOrDash("health"),
                service.textOrDash("version"), service.numberOrDash("pid"), facts.joined(separator: ", "),
                service.textOrDash("socket"),
            ])
        }
        return table.lines(style)
    }
}
