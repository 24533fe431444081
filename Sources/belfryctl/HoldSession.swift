// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import Glibc
import BelfryLinux
import Varlink

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
