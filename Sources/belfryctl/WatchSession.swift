// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import Glibc
import BelfryLinux
import Varlink

/// A watch on its way to standard output, until a signal, a failure or the end of the output.
@MainActor
final class WatchSession {
    private let context: CommandContext
    private let output: LineOutput
    private let isJSON: Bool
    /// How many notifications are waited for; nil for a watch without an end.
    private var left: Int?
    private let line: NotificationLine
    private var watch: Watch?
    private let end = SessionEnd()

    /// - Parameter count: how many notifications end the watch, of which only these are shown; nil for no end.
    init(_ subject: Watch.Subject, json: Bool, count: Int? = nil, _ context: CommandContext) throws {
        self.context = context
        isJSON = json
        left = count
        line = NotificationLine(context.style)
        output = LineOutput(.output, on: context.loop)
        watch = Watch(subject, on: context.loop) { [weak self] in
            self?.show($0)
        } onEnd: { [weak self] in
            self?.end.reach(.failure($0))
        }
        output.onEnd = { [weak self] error in
            self?.end.reach(error.map { .failure($0) } ?? .success(.success))
        }
        output.onCongestion = { [weak self] in self?.watch?.isPaused = $0 }
    }

    /// Watches, and returns when that is over.
    func run() async throws -> CommandStatus {
        var signals = 0
        let result = try await end.wait(on: context.loop) { [unowned end] _ in
            signals += 1
            end.reach(.success(.success))
        } _: {
            watch?.start()
        }
        watch?.stop()
        if !output.finish(after: signals) { context.note("nobody reads, the last line is not whole") }
        return try result.get()
    }

    /// Gives up with this failure when in this time what is waited for has not come: the notifications that are counted,
    /// or else the first state.
    func limit(_ limit: Duration, _ failure: ControlFailure) throws(SystemError) {
        try end.limit(limit, on: context.loop, failure)
    }

    private func show(_ event: WatchEvent) {
        switch event {
        case .state where left != nil: break
        case .state(let state):
            end.endLimit()
            output.write(isJSON ? json("state", state) : line.line(state: state))
        case .notification(let notification):
            guard left != 0 else { return }
            output.write(isJSON ? json("notification", notification) : line.line(notification))
            guard let left else { return }
            self.left = left - 1
            guard left == 1 else { return }
            end.endLimit()
            output.whenWritten { [weak self] in self?.end.reach(.success(.success)) }
        case .note(let text):
            context.note(text)
        }
    }

    private func json(_ key: String, _ object: JSONObject) -> String {
        JSONLine.text([key: .object(object)])
    }
}
