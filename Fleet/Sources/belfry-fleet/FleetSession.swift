// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryCommandLine
import BelfryEventLoop
import Glibc
import Varlink

/// A call of `io.belfry.Fleet` with several replies, each of which is written to standard output as lines.
@MainActor
final class FleetSession {
    private let client: VarlinkClient
    private let context: CommandContext
    private let output: LineOutput
    private let bar: ProgressBar?
    private let completion = SessionCompletion()
    private var isInterrupted = false
    /// What `run` returns when the output is written.
    private var result: Result<CommandStatus, ClientFailure> = .success(.success)

    /// Connects to belfry-fleetd.
    ///
    /// - Parameter showsProgress: whether a terminal shows how far the call is.
    /// - Throws: `ClientFailure` when it cannot be reached.
    init(_ fleet: FleetClient, showsProgress: Bool = false, _ context: CommandContext) throws(ClientFailure) {
        self.context = context
        client = try fleet.connect()
        output = LineOutput(.output, on: context.loop)
        bar = showsProgress ? ProgressBar.onTerminal() : nil
    }

    /// Shows how far the call is.
    func show(_ progress: ProgressBar.Progress) { bar?.show(progress) }

    /// Calls the method, and writes the lines that `lines` makes of each reply.
    ///
    /// - Parameters:
    ///   - verb: the verb of the error message.
    ///   - object: its object.
    ///   - isEndless: whether a signal is the usual end.
    /// - Returns: 0 after the last reply, or 128 and the number of the signal that ended it.
    func run(
        _ method: String, _ parameters: JSONObject, to verb: String, _ object: String, isEndless: Bool = false,
        _ lines: @escaping (JSONObject) -> [String]
    ) async throws -> CommandStatus {
        output.onEnd = { [weak self] in self?.completion.finish($0.map { .failure($0) } ?? .success(.success)) }
        output.onCongestion = { [weak self] in self?.client.isPaused = $0 }
        let result = try await completion.wait(on: context.loop) { [unowned self] number in
            interrupt(isEndless ? .success : CommandStatus(rawValue: 128 + number))
        } _: {
            client.more(FleetClient.full(method), parameters) { [weak self] reply in
                switch reply {
                case .success(let reply): self?.receive(reply, lines)
                case .failure(let error): self?.finish(.failure(FleetClient.failure(error, to: verb, object)))
                }
            }
        }
        bar?.clear()
        client.close()
        if output.endsInsideLine { context.note("output is not being read, the last line is incomplete") }
        return try result.get()
    }

    /// The first signal waits for the end of a line, the second one does not.
    private func interrupt(_ status: CommandStatus) {
        guard !isInterrupted else { return end() }
        isInterrupted = true
        result = .success(status)
        client.close()
        output.completeLine { [weak self] in self?.end() }
    }

    private func receive(_ reply: VarlinkReply, _ lines: (JSONObject) -> [String]) {
        let text = lines(reply.parameters)
        if !text.isEmpty { bar?.clear() }
        for line in text { output.write(line) }
        if !reply.continues { finish(.success(.success)) }
    }

    private func finish(_ result: Result<CommandStatus, ClientFailure>) {
        guard !isInterrupted else { return }
        self.result = result
        output.whenWritten { [weak self] in self?.end() }
    }

    private func end() { completion.finish(result) }
}
