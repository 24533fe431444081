// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import ArgumentParser
import BelfryClient

/// A command that speaks with the service.
protocol ServiceCommand: ParsableCommand, Sendable {
    /// Where the service is.
    var connection: ConnectionOptions { get }

    /// Does it, on the main thread's loop.
    ///
    /// - Throws: `ControlFailure`, or `OutputEnd` when nobody reads the output any more.
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus
}
