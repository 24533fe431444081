// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The main thread parses the arguments, then runs the loop, on which the command waits.

import ArgumentParser
import BelfryClient
import BelfryEventLoop
import Glibc
import BelfryLinux

signal(SIGPIPE, SIG_IGN)
do {
    var command = try Belfryctl.parseAsRoot(Belfryctl.joiningValues(Array(CommandLine.arguments.dropFirst())))
    guard let command = command as? any ServiceCommand else {
        try command.run()
        exit(CommandStatus.success.rawValue)
    }
    let context = try CommandContext(command.connection)
    MainThreadExecutor.task { await context.finish { try await command.run(context) } }
    exit(try context.loop.run())
} catch let error as SystemError {
    StandardStream.error.writeIfPossible(["\(error)"])
    exit(CommandStatus.system.rawValue)
} catch {
    UsageMessage.exit(with: error)
}
