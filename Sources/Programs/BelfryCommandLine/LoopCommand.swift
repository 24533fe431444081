// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import ArgumentParser
package import BelfryClient
import BelfryEventLoop
package import BelfryLinux
import Glibc

/// A command that runs on the loop of the main thread.
package protocol LoopCommand: ParsableCommand, Sendable {
    /// What the command needs, by its options.
    @MainActor func context() throws(SystemError) -> CommandContext

    /// Runs the command.
    ///
    /// - Throws: `ClientFailure`.
    @MainActor func run(_ context: CommandContext) async throws -> CommandStatus
}

/// A program with commands.
package enum CommandProgram {
    /// Parses the arguments, runs the command on the loop of the main thread, and ends the process with its status.
    @MainActor package static func main(_ root: any ParsableCommand.Type) -> Never {
        signal(SIGPIPE, SIG_IGN)
        do {
            try StandardStreams.openMissing()
            var command = try root.parseAsRoot()
            guard let command = command as? any LoopCommand else {
                try command.run()
                exit(CommandStatus.success.rawValue)
            }
            let context = try command.context()
            MainThreadExecutor.task { await context.finish { try await command.run(context) } }
            exit(try context.loop.run())
        } catch let error as SystemError {
            StandardStream.error.write(["\(error)"])
            exit(CommandStatus.system.rawValue)
        } catch {
            guard root.exitCode(for: error).isSuccess else { root.exit(withError: error) }
            StandardStream.output.write([root.fullMessage(for: error)])
            exit(CommandStatus.success.andOutput.rawValue)
        }
    }
}
