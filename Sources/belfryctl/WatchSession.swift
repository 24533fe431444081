// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryControl
import EventLoop
import Glibc
import SystemErrors
import Varlink

/// A watch on its way to standard output, until a signal, a failure or the end of the output.
@MainActor
final class WatchSession {
    private let context: CommandContext
    private let output: LineOutput
    private let isJSON: Bool
    private let line: NotificationLine
    private var watch: Watch?
    private var signals: [SignalEventSource] = []
    private var continuation: CheckedContinuation<Result<CommandStatus, ControlFailure>, Never>?

    init(_ command: WatchCommand, _ context: CommandContext) throws {
        self.context = context
        isJSON = command.json
        line = NotificationLine(context.style)
        output = LineOutput(.output, on: context.loop)
        let subject = Watch.Subject(
            path: context.path, names: command.names, after: command.after, isAwaited: command.wait)
        watch = Watch(subject, on: context.loop) { [weak self] in
            self?.show($0)
        } onEnd: { [weak self] in
            self?.end(.failure($0))
        }
        output.onEnd = { [weak self] error in
            self?.end(error.map { .failure(ControlFailure($0)) } ?? .success(.success))
        }
        output.onCongestion = { [weak self] in self?.watch?.isPaused = $0 }
    }

    /// Watches, and returns when that is over.
    func run() async throws -> CommandStatus {
        for number in [SIGINT, SIGTERM, SIGHUP] { try endOn(number) }
        let result = await withCheckedContinuation {
            continuation = $0
            watch?.start()
        }
        watch?.stop()
        return try result.get()
    }

    private func endOn(_ number: Int32) throws {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, number)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signals.append(try context.loop.source(signal: number) { [weak self] _ in self?.end(.success(.success)) })
    }

    private func show(_ event: WatchEvent) {
        switch event {
        case .state(let state):
            output.write(isJSON ? json("state", state) : line.line(state: state))
        case .notification(let notification):
            output.write(isJSON ? json("notification", notification) : line.line(notification))
        case .note(let text):
            StandardStream.error.attempt(["belfryctl: \(text)"])
        }
    }

    private func json(_ key: String, _ object: VarlinkObject) -> String {
        VarlinkValue.object([key: .object(object)]).description
    }

    private func end(_ result: Result<CommandStatus, ControlFailure>) {
        continuation?.resume(returning: result)
        continuation = nil
    }
}
