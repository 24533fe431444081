// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import ArgumentParser
internal import Belfry
internal import Glibc

let arguments = Belfryd.parseOrExit()
let files = arguments.configurationFiles.isEmpty ? nil : arguments.configurationFiles
if arguments.checksConfiguration || arguments.printsConfiguration {
    exit(ConfigurationCheck.run(files: files, prints: arguments.printsConfiguration))
}
ServiceMain.run(
    ServiceOptions(
        name: "belfryd", configurationFiles: files, socketPath: arguments.socketPath, logLevel: arguments.logLevel))
