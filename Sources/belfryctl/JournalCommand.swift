// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient
import Varlink

/// A command that reads what a service has written to the journal.
protocol JournalCommand: ServiceCommand {
    /// Which service, when it is said.
    var source: JournalSource { get }
}

extension JournalCommand {
    /// Refuses what the journal has no use for.
    func checkSource() throws {
        if connection.socket != nil, source.service != nil {
            throw ValidationError("--socket and --service both say which service, give one of them")
        }
        if connection.timeout != nil, !isAsked(environment: CommandContext.environment()) {
            throw ValidationError("--timeout is for a service that is asked for its name, give --socket with it")
        }
    }

    /// What the journal calls the service: the one at the socket that was named says so itself.
    @MainActor func service(_ context: CommandContext) async throws(ControlFailure) -> String {
        guard isAsked(environment: CommandContext.environment()) else { return source.service ?? "belfryd" }
        do throws(ControlFailure) {
            let state = try await context.connect().call("GetState", to: "get the name of", within: context.looking)
            guard let name = state["service"]?.stringValue, name.utf8.count <= 255 else {
                throw ControlFailure(.unavailable, "unable to get the name of '\(context.path)': it says none")
            }
            return name
        } catch {
            throw error.with("--service says without asking what the journal calls it")
        }
    }

    private func isAsked(environment: [String: String]) -> Bool {
        source.service == nil && connection.namesSocket(environment: environment)
    }
}
