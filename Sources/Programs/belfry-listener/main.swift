// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryConfiguration
import BelfryEventLoop
import BelfryLinux
import BelfrySystemd
import CBelfry
import Glibc

/// Prints lines on standard error, and ends the process.
func fail(_ status: CommandStatus, _ lines: [String]) -> Never {
    StandardStreams.error(lines.map { $0 + "\n" }.joined())
    exit(status.rawValue)
}

/// The listener of this name from its file, or from that of the application, always if the unit is one of it.
func declaration(of name: String) -> (ListenerSettings?, [ConfigurationDiagnostic]) {
    let listener = ListenerFile(name)
    let isApplication = listener.file.files.isEmpty && ApplicationFile.isDeclared(name, in: .ofProcess)
    guard isApplication || ApplicationFile.isOwn(name) else { return (listener.settings, listener.file.diagnostics) }
    let application = ApplicationFile(name, in: .ofProcess)
    return (application.settings?.listener, application.file.diagnostics)
}

/// Runs the listener of this name, or the given one without a file.
///
/// - Returns: the exit status.
func run(_ name: String, _ given: ListenerSettings?) throws(SystemError) -> Int32 {
    let loop = try MainEventLoop()
    let log = ListenerLog(name: name, on: loop)
    defer { log.finish() }
    let (declared, diagnostics) = given == nil ? declaration(of: name) : (nil, [])
    for diagnostic in diagnostics { log.message(diagnostic) }
    guard let settings = given ?? declared else { return CommandStatus.configuration.rawValue }
    do throws(SystemError) {
        return try ListenerProgram(settings, isUnit: given == nil, log: log, on: loop).runUntilStopped()
    } catch {
        log.message(.error, "\(error)", .listenerEnded)
        return CommandStatus.system.rawValue
    }
}

belfry_block_signals()
let mode: ListenerCommandLine.Mode
do throws(ValueProblem) {
    mode = try ListenerCommandLine(CommandLine.arguments.dropFirst()).mode
} catch {
    fail(.usage, ["belfry-listener: \(error.message)", "Try 'belfry-listener --help'."])
}
do throws(SystemError) {
    try StandardStreams.openMissing()
    switch mode {
    case .help: exit((StandardStreams.output(ListenerCommandLine.help) ? CommandStatus.success : .system).rawValue)
    case .version:
        let version = "belfry-listener \(ReleaseVersion.current)\n"
        exit((StandardStreams.output(version) ? CommandStatus.success : .system).rawValue)
    case .file(let name): exit(try run(name, nil))
    case .command(let settings): exit(try run(settings.name, settings))
    }
} catch {
    fail(.system, ["\(error)"])
}
