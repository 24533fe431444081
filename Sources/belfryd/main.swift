// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Belfry
internal import BelfryCacheFlush
internal import BelfrySocket
internal import Glibc

let arguments: DaemonArguments
do throws(UsageError) {
    arguments = try DaemonArguments(CommandLine.arguments.dropFirst())
} catch {
    StandardStreams.error("belfryd: \(error)\nTry 'belfryd --help'.\n")
    exit(ServiceExit.usage)
}
let files = arguments.configurationFiles.isEmpty ? nil : arguments.configurationFiles

switch arguments.mode {
case .help: StandardStreams.output(DaemonArguments.help)
case .version: StandardStreams.output("belfryd \(BelfryVersion.current)\n")
case .checkConfiguration:
    exit(ConfigurationCheck.run(files: files, prints: false, unit: arguments.unit))
case .printConfiguration: exit(ConfigurationCheck.run(files: files, prints: true))
case .recordExit:
    do {
        try ExitRecorder.record(configurationFiles: files)
    } catch {
        StandardStreams.error("belfryd: \(error)\n")
        exit(error is ExitRecorder.NotInUnit ? ServiceExit.usage : ServiceExit.system)
    }
case .run:
    ServiceMain.run(
        ServiceOptions(
            name: "belfryd", configurationFiles: files, socketPath: arguments.socketPath, logLevel: arguments.logLevel),
        with: [.socket, .cacheFlush])
}
