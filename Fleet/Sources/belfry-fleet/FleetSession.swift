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
    private let bar: ProgressBar?
    private let completion = SessionCompletion()

    /// Connects to belfry-fleetd.
    ///
    /// - Parameter showsProgress: whether a terminal shows how far the call is.
    /// - Throws: `ClientFailure` when it cannot be reached.
    init(_ fleet: FleetClient, showsProgress: Bool = false, _ context: CommandContext) throws(ClientFailure) {
        self.context = context
        client = try fleet.connect()
        bar = showsProgress ? ProgressBar.onTerminal() : nil
    }

    /// Shows how far the call is.
    func show(_ progress: ProgressBar.Progress) { bar?.show(progress) }

    /// Calls the method, and writes the lines that `lines` makes of each reply.
    ///
    /// - Parameters:
    ///   - verb: the verb of the error message.
    ///   - object: its object.
    ///   - reportsSignals: whether a signal ends the call. Otherwise it ends the process.
    ///   - endsWithOutput: whether the call ends with success when nobody reads the output any more.
    /// - Returns: 0 after the last reply, or 128 and the number of the signal that ended the call.
    func run(
        _ method: String, _ parameters: JSONObject, to verb: String, _ object: String, reportsSignals: Bool = false,
        endsWithOutput: Bool = false,
        _ lines: @escaping (JSONObject) -> [String]
    ) async throws -> CommandStatus {
        if endsWithOutput { completion.finishWithOutput(on: context.loop) }
        if reportsSignals {
            try completion.receiveSignals(on: context.loop) { [completion] in
                completion.finish(.success(CommandStatus(rawValue: 128 + $0)))
            }
        }
        let result = await completion.wait {
            client.more(FleetClient.full(method), parameters) { [weak self] reply in
                switch reply {
                case .success(let reply): self?.receive(reply, lines)
                case .failure(let error):
                    self?.completion.finish(.failure(FleetClient.failure(error, to: verb, object)))
                }
            }
        }
        bar?.clear()
        client.close()
        return try result.get()
    }

    private func receive(_ reply: VarlinkReply, _ lines: (JSONObject) -> [String]) {
        let text = lines(reply.parameters)
        if !text.isEmpty { bar?.clear() }
        completion.write(text)
        if !reply.continues { completion.finish(.success(.success)) }
    }
}
