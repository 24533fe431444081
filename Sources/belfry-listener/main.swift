// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import BelfryLinux
import CBelfry
import Glibc

/// Prints lines on standard error, and ends the process.
func fail(_ status: CommandStatus, _ lines: [String]) -> Never {
    StandardStreams.error(lines.map { $0 + "\n" }.joined())
    exit(status.rawValue)
}

belfry_block_signals()
let settings: ListenerSettings
let isUnit: Bool
do throws(ValueProblem) {
    switch try ListenerCommandLine(CommandLine.arguments.dropFirst()).mode {
    case .help:
        StandardStreams.output(ListenerCommandLine.help)
        exit(0)
    case .version:
        StandardStreams.output("belfry-listener \(ReleaseVersion.current)\n")
        exit(0)
    case .command(let given): (settings, isUnit) = (given, false)
    case .file(let name):
        let file = ListenerFile(name)
        guard let read = file.settings else { fail(.configuration, file.diagnostics.map(\.description)) }
        StandardStreams.error(file.diagnostics.map { "\($0)\n" }.joined())
        (settings, isUnit) = (read, true)
    }
} catch {
    fail(.usage, ["belfry-listener: \(error.message)", "Try 'belfry-listener --help'."])
}
do throws(SystemError) {
    let loop = try MainEventLoop()
    exit(try ListenerProgram(settings, isUnit: isUnit, on: loop).runUntilStopped())
} catch {
    fail(.system, ["\(error)"])
}
