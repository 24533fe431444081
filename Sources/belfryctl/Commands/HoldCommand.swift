// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import BelfryEventLoop
import BelfryLinux
import Glibc
import Varlink

/// `belfryctl hold`.
struct HoldCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "hold", abstract: "Delay pause, sleep and stop of the service while a command runs.",
        discussion: """
            The exit status is that of the command, or 128 and the number of the signal that ended it. Without a command the \
            service is held until SIGINT or SIGTERM. When the service is restarted in spite of it, it is held again. A stop \
            waits no longer than the service has time itself. --for limits the hold, --timeout only how long to wait for it.
            """)

    @OptionGroup var connection: ConnectionOptions

    @Option(help: "Why; others see it in 'belfryctl status'.")
    var reason: String

    @Option(
        name: .customLong("for"), help: ArgumentHelp("How long at most.", valueName: "time"), transform: TimeLimit.init)
    var limit: TimeLimit?

    @Argument(parsing: .postTerminator, help: "The command with its arguments, after '--'.")
    var command: [String] = []

    func validate() throws {
        if let time = limit?.duration, time <= .zero { throw ValidationError("a time to hold is more than 0") }
    }

    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus {
        try await HoldSession(reason: reason, limit: limit?.duration, command: command, context).run()
    }
}

/// A service that is held while a command runs, over its restarts.
@MainActor
final class HoldSession {
    private let context: CommandContext
    private let reason: String
    private let limit: Duration?
    private let command: [String]
    private var watch: Watch?
    private var client: VarlinkClient?
    private var child: ForegroundProcess?
    /// Since when the time runs.
    private var start: MonotonicInstant?
    private var timer: TimerEventSource?
    private let end = SessionEnd()

    init(reason: String, limit: Duration?, command: [String], _ context: CommandContext) {
        self.context = context
        self.reason = reason
        self.limit = limit
        self.command = command
        // It tells when the service is there again; what happens meanwhile is of no interest.
        let subject = Watch.Subject(path: context.path, names: ["didBecomeActive"], after: nil, isAwaited: false)
        watch = Watch(subject, on: context.loop) { [weak self] event in
            switch event {
            case .state: self?.hold()
            case .notification: break
            case .note(let text): self?.context.note(text)
            }
        } onEnd: { [weak self] in
            self?.end.reach(.failure($0))
        }
    }

    /// Holds, runs the command, and returns when it has ended.
    func run() async throws -> CommandStatus {
        if let limit = context.changing {
            try end.limit(limit, on: context.loop, ControlFailure(noAnswerIn: limit, to: "hold", context.path))
        }
        let result = try await end.wait(on: context.loop) { [unowned self] in
            interrupt($0)
        } _: {
            watch?.start()
        }
        watch?.stop()
        client?.close()
        return try result.get()
    }

    private var hasBegun: Bool { start != nil }

    /// What is left of the time, which does not begin anew with the service; nil for no limit.
    private var left: Duration? { limit.map { $0 - (start.map { .now - $0 } ?? .zero) } }

    private func hold() {
        guard client?.isClosed ?? true else { return }
        var parameters: JSONObject = ["reason": .string(reason)]
        if let left {
            guard left > .zero else { return }
            parameters["timeoutUsec"] = .int(Int64(clamping: left.microseconds))
        }
        do throws(ControlFailure) {
            let client = try ServiceSocket.connect(context.path, on: context.loop)
            self.client = client
            client.more("\(ServiceClient.interface).Hold", parameters) { [weak self, weak client] reply in
                guard let self, let client, client === self.client else { return }
                take(reply)
            }
        } catch {
            lose(error)
        }
    }

    private func take(_ reply: Result<VarlinkReply, VarlinkError>) {
        switch reply {
        case .success(let reply) where reply.parameters["held"]?.boolValue == false: expire()
        case .success(let reply) where !reply.continues:
            let path = SystemError.escape(context.path)
            lose(ControlFailure(.unavailable, "unable to hold '\(path)': the service does not"))
        case .success(let reply):
            if let what = reply.parameters.text("waiting") {
                context.note("\(what) waits for this to end")
            } else if hasBegun {
                context.note("the service is held again")
            } else {
                begin()
            }
        case .failure(.closed) where hasBegun, .failure(.system) where hasBegun:
            // The watch says so, and when the service is back.
            waitForTheEnd()
            watch?.renew()
        case .failure(let error): lose(ControlFailure(calling: error, to: "hold", context.path))
        }
    }

    /// Before the command has begun it does not begin without a hold; later it is not given up for one.
    private func lose(_ failure: ControlFailure) {
        guard hasBegun else { return end.reach(.failure(failure)) }
        context.note(failure.lines[0])
        waitForTheEnd()
    }

    private func begin() {
        start = .now
        end.endLimit()
        guard !command.isEmpty else { return }
        do throws(SystemError) {
            child = try ForegroundProcess(command, on: context.loop) { [weak self] in self?.end.reach(.success($0)) }
        } catch {
            end.reach(.failure(ControlFailure(error)))
        }
    }

    /// Nobody holds the service any more who would say when the time is up.
    private func waitForTheEnd() {
        client = nil
        guard let left else { return }
        do throws(SystemError) {
            timer = try context.loop.timer(after: left) { [weak self] in
                if let self, client == nil { expire() }
            }
        } catch {
            end.reach(.failure(ControlFailure(error)))
        }
    }

    private func expire() {
        context.note("the time is up, the service is not held any longer")
        if command.isEmpty { end.reach(.success(.failure)) }
    }

    /// The terminal tells the command of SIGINT itself; other signals are for us alone, and are passed on.
    private func interrupt(_ number: Int32) {
        guard let child else { return end.reach(.success(.success)) }
        if number != SIGINT { child.send(number) }
    }
}

/// A command in our own process group and on our own terminal, with the signal mask and dispositions of a shell's child.
@MainActor
final class ForegroundProcess {
    private let pid: pid_t
    private var source: ChildEventSource?

    /// Starts the command, which is looked for in `$PATH`. `onEnd` is called with its exit status as a shell has it.
    init(
        _ command: [String], on loop: MainEventLoop, onEnd: @escaping (CommandStatus) -> Void
    ) throws(SystemError) {
        var child = sigset_t()
        sigemptyset(&child)
        sigaddset(&child, SIGCHLD)
        pthread_sigmask(SIG_BLOCK, &child, nil)
        pid = try Self.spawn(command)
        source = try loop.source(child: pid) { exit in
            switch exit.reason {
            case .exited(let status): onEnd(CommandStatus(rawValue: status))
            case .signaled(let number): onEnd(CommandStatus(rawValue: 128 + number))
            }
        }
    }

    func send(_ number: Int32) { kill(pid, number) }

    private static func spawn(_ command: [String]) throws(SystemError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, command[0], nil, &attributes, &words, environ)
        if failure != 0 { throw SystemError(failure, verb: "run", object: command[0]) }
        return pid
    }
}
