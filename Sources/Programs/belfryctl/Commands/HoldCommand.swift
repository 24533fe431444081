// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryCommandLine
import BelfryEventLoop
import BelfryLinux
import CBelfry
import Glibc
import Varlink

/// `belfryctl hold`.
struct HoldCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Delay pause, sleep and stop of the service while a command runs.",
        discussion: """
            The exit status is that of the command, or 128 plus the number of the signal that ended it. It is 75 if \
            the command succeeded and the service was not held all the time: --for or the service has ended the hold, \
            the machine slept, or the connection was lost. Standard error says so at once, and the command goes on. \
            Without a command, the service is held until SIGINT, SIGTERM or SIGHUP. A signal before the service is \
            held ends it with 128 plus its number. If the service restarts, it is held again. A stop waits only for \
            its share of the stop timeout. --for limits the hold. --timeout limits the wait until the service is held; \
            its default is 10s.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Option(help: "The reason, shown by 'belfryctl status'.")
    var reason: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("The longest time to hold.", valueName: "time"),
        transform: TimeLimit.init)
    var limit: TimeLimit?

    @Argument(parsing: .postTerminator, help: "The command with its arguments, after '--'.")
    var command: [String] = []

    func validate() throws {
        if let time = limit?.duration, time <= .zero { throw ValidationError("--for must be more than 0") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await HoldSession(reason: reason, limit: limit?.duration, command: command, context).run()
    }
}

/// Holds a service while a command runs, over restarts of the service.
@MainActor
final class HoldSession {
    private enum Phase {
        /// The service is not held yet, and the command not started.
        case waiting
        /// The service has been held since then. The command runs, if there is one.
        case begun(at: MonotonicInstant, ForegroundProcess?)
    }

    private let context: CommandContext
    private let reason: String
    private let limit: Duration?
    private let command: [String]
    private var watch: Watch?
    private var client: VarlinkClient?
    private var phase = Phase.waiting
    private var timer: TimerEventSource?
    /// Whether the service was not held for some time after the hold began.
    private var isInterrupted = false
    private let completion = SessionCompletion()

    init(reason: String, limit: Duration?, command: [String], _ context: CommandContext) {
        self.context = context
        self.reason = reason
        self.limit = limit
        self.command = command
        // The watch reports when the service is there again. Its notifications are not used.
        watch = Watch(context.path, names: ["didBecomeActive"], waitsForService: true, on: context.loop) {
            [weak self] event in
            switch event {
            case .state: self?.hold()
            case .notification, .missed: break
            case .note(let text): self?.context.note(text)
            }
        } onEnd: { [weak self] in
            self?.cannotRenew($0)
        }
    }

    /// Holds, runs the command, and returns when it has ended.
    func run() async throws -> CommandStatus {
        // It may have been started a moment ago.
        if let limit = context.queryTimeout {
            try completion.setTimeout(
                limit, on: context.loop, ClientFailure(noAnswerIn: limit, to: "hold", context.path))
        }
        try completion.receiveSignals(on: context.loop) { [unowned self] in interrupt($0) }
        let result = await completion.wait { watch?.start() }
        let wasHeld = !isInterrupted
        watch?.stop()
        client?.close()
        let status = try result.get()
        return status == .success && !wasHeld ? .temporaryFailure : status
    }

    private var hasBegun: Bool { if case .begun = phase { true } else { false } }

    /// The remaining time, which a restart of the service does not extend; nil for no limit.
    private var remaining: Duration? {
        guard let limit, case .begun(let start, _) = phase else { return limit }
        return limit - (.now - start)
    }

    private func hold() {
        guard client?.isClosed ?? true else { return }
        var parameters: JSONObject = ["reason": .string(reason)]
        if let remaining {
            guard remaining > .zero else { return }
            parameters["timeoutUsec"] = .int(Int64(clamping: remaining.microseconds))
        }
        do throws(ClientFailure) {
            let client = try ServiceSocket.connect(context.path, on: context.loop)
            self.client = client
            client.more("\(ServiceClient.interface).Hold", parameters) { [weak self, weak client] reply in
                guard let self, let client, client === self.client else { return }
                receive(reply)
            }
        } catch {
            connectionFailed(error)
        }
    }

    private func receive(_ reply: Result<VarlinkReply, VarlinkError>) {
        switch reply {
        case .success(let reply) where reply.parameters["held"]?.boolValue == false:
            expire(reply.parameters.text("reason") ?? "the service gave no reason")
        case .success(let reply) where !reply.continues:
            let path = SystemError.escape(context.path)
            connectionFailed(ClientFailure(.unavailable, "unable to hold '\(path)': the service ended the hold"))
        case .success(let reply):
            if let what = reply.parameters.text("waiting") {
                context.note("\(what) waits for the hold to end")
            } else if let what = reply.parameters.text("overriddenBy") {
                isInterrupted = true
                context.note("\(what) does not wait for the hold to end")
            } else if hasBegun {
                context.note("the service is held again")
            } else {
                begin()
            }
        case .failure(.closed) where hasBegun, .failure(.system) where hasBegun:
            // The watch reports the loss, and when the service is back.
            isInterrupted = true
            client = nil
            watch?.renew()
        case .failure(let error): connectionFailed(ClientFailure(calling: error, to: "hold", context.path))
        }
    }

    /// Without a hold the command does not start. A command that runs continues without one.
    private func connectionFailed(_ failure: ClientFailure) {
        guard hasBegun else { return completion.finish(.failure(failure)) }
        context.note(failure.lines[0])
        isInterrupted = true
        client = nil
    }

    /// The hold lasts as long as its connection, and is not renewed. A command that runs continues.
    private func cannotRenew(_ failure: ClientFailure) {
        guard hasBegun, !command.isEmpty || client != nil else { return completion.finish(.failure(failure)) }
        context.note(failure.lines[0])
    }

    private func begin() {
        completion.cancelTimeout()
        do throws(SystemError) {
            let child =
                try command.isEmpty
                ? nil
                : ForegroundProcess(command, on: context.loop) { [weak self] in self?.completion.finish(.success($0)) }
            phase = .begun(at: .now, child)
            guard let limit else { return }
            timer = try context.loop.timer(after: limit) { [weak self] in
                // While the connection is lost, no reply says so.
                if let self, client == nil { expire("its timeout expired") }
            }
        } catch {
            completion.finish(.failure(ClientFailure(error)))
        }
    }

    private func expire(_ reason: String) {
        isInterrupted = true
        context.note("the service is no longer held: \(reason)")
        if command.isEmpty { completion.finish(.success(.success)) }
    }

    /// The terminal sends SIGINT to the command too. Other signals arrive only here and are forwarded.
    private func interrupt(_ number: Int32) {
        switch phase {
        case .waiting: completion.finish(.success(CommandStatus(rawValue: 128 + number)))
        case .begun(_, nil): completion.finish(.success(.success))
        case .begun(_, let child?): if number != SIGINT { child.send(number) }
        }
    }
}

/// A command in the process group and on the terminal of belfryctl, with the signal mask and dispositions that a shell
/// would give it.
@MainActor
final class ForegroundProcess {
    private let pid: pid_t
    private var source: ChildEventSource?

    /// Starts the command, which is searched for in `$PATH`. SIGCHLD must be blocked. `onEnd` is called with its exit
    /// status as a shell reports it.
    init(
        _ command: [String], on loop: MainEventLoop, onEnd: @escaping (CommandStatus) -> Void
    ) throws(SystemError) {
        pid = try Self.spawn(command)
        source = try loop.source(child: pid) { exit in
            switch exit.reason {
            case .exited(let status): onEnd(CommandStatus(rawValue: status))
            case .signaled(let number): onEnd(CommandStatus(rawValue: 128 + number))
            }
        }
    }

    func send(_ number: Int32) { kill(pid, number) }

    /// Starts the command, and returns its process id.
    nonisolated static func spawn(_ command: [String]) throws(SystemError) -> pid_t {
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        try SystemError.check(
            belfry_spawn(&pid, command[0], &words, environ, false, nil, 0), verb: "run", object: command[0])
        return pid
    }
}
