// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryControl
import EventLoop
import Glibc
import SystemErrors
import Varlink

/// A service that is held while a command runs, over its restarts.
@MainActor
final class HoldSession {
    private let context: CommandContext
    private let parameters: VarlinkObject
    private let command: [String]
    private var watch: Watch?
    private var client: VarlinkClient?
    private var child: ForegroundProcess?
    private var hasBegun = false
    private let end = SessionEnd()

    init(reason: String, limit: Duration?, command: [String], _ context: CommandContext) {
        self.context = context
        self.command = command
        var parameters: VarlinkObject = ["reason": .string(reason)]
        if let limit { parameters["timeoutUsec"] = .int(Int64(clamping: limit.microseconds)) }
        self.parameters = parameters
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

    private func hold() {
        guard client?.isClosed ?? true else { return }
        do throws(VarlinkError) {
            let client = try VarlinkClient(context.path, on: context.loop)
            self.client = client
            client.more("\(ServiceClient.interface).Hold", parameters) { [weak self, weak client] reply in
                guard let self, let client, client === self.client else { return }
                take(reply)
            }
        } catch {
            lose(ControlFailure(connecting: error, to: context.path))
        }
    }

    private func take(_ reply: Result<VarlinkReply, VarlinkError>) {
        switch reply {
        case .success(let reply) where reply.parameters["held"]?.boolValue == false:
            context.note("the time is up, the service is not held any longer")
            if command.isEmpty { end.reach(.success(.failure)) }
        case .success(let reply):
            if let what = reply.parameters["waiting"]?.stringValue {
                context.note("\(SystemError.escape(what)) waits for this to end")
            } else if hasBegun {
                context.note("the service is held again")
            } else {
                begin()
            }
        case .failure(.closed) where hasBegun, .failure(.system) where hasBegun:
            // The watch says so, and when the service is back.
            client = nil
            watch?.renew()
        case .failure(let error): lose(ControlFailure(calling: error, to: "hold", context.path))
        }
    }

    /// Before the command has begun it does not begin without a hold; later it is not given up for one.
    private func lose(_ failure: ControlFailure) {
        if hasBegun { context.note(failure.lines[0]) } else { end.reach(.failure(failure)) }
    }

    private func begin() {
        hasBegun = true
        end.endLimit()
        guard !command.isEmpty else { return }
        do throws(SystemError) {
            child = try ForegroundProcess(command, on: context.loop) { [weak self] in self?.end.reach(.success($0)) }
        } catch {
            end.reach(.failure(ControlFailure(error)))
        }
    }

    /// The terminal tells the command of SIGINT itself; other signals are for us alone, and are passed on.
    private func interrupt(_ number: Int32) {
        guard let child else { return end.reach(.success(.success)) }
        if number != SIGINT { child.send(number) }
    }
}
