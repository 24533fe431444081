// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryLinux
internal import BelfryListeners
internal import BelfrySystemd
internal import Glibc

extension ServiceOptions {
    /// Options from the command line of a service, which has those of `belfryd`: `--instance`, `--config`, `--socket`,
    /// `--log-level`, `--check-config`, `--print-config`, `--record-exit`, `--version` and `--help`.
    ///
    /// The last three print or write something and end the process, and so does an invalid argument, with 64. A service
    /// with arguments of its own parses them, and passes on the others.
    ///
    /// - Parameters:
    ///   - name: the name of the service.
    ///   - version: the version of the service.
    ///   - about: the first lines of `--help`.
    ///   - arguments: `CommandLine.arguments`. The first is the name of the program.
    public init(
        name: String, version: String, about: String = "A service with lifecycle notifications.",
        arguments: some Collection<String>
    ) {
        self.init(name: name, fileName: name, version: version, about: about, arguments: arguments)
    }

    /// The same for a service whose files have another name, and its configuration files yet another directory and
    /// name.
    package init(
        name: String, fileName: String, configurationName: (directory: String, file: String)? = nil, version: String,
        about: String, arguments: some Collection<String>
    ) {
        // `ServiceMain.run` says why it fails.
        try? StandardStreams.openMissing()
        let line: ServiceCommandLine
        do throws(ValueProblem) {
            line = try ServiceCommandLine(arguments.dropFirst())
        } catch {
            StandardStreams.error("\(name): \(error.message)\nTry '\(name) --help'.\n")
            exit(ServiceExit.usage)
        }
        switch line.mode {
        case .help:
            let configuration = configurationName ?? (fileName, fileName)
            let help = ServiceCommandLine.help(name, files: fileName, configuration: configuration, about: about)
            exit(StandardStreams.output(help) ? ServiceExit.success : ServiceExit.system)
        case .version:
            exit(StandardStreams.output("\(name) \(version)\n") ? ServiceExit.success : ServiceExit.system)
        default:
            self.init(name: name, fileName: fileName, version: version, line)
            self.configurationName = configurationName
        }
    }

    /// Options from a parsed command line. `--record-exit` ends the process.
    init(name: String, fileName: String, version: String?, _ line: ServiceCommandLine) {
        self.init(
            name: name, version: version,
            configurationFiles: line.configurationFiles.isEmpty ? nil : line.configurationFiles,
            socketPath: line.socketPath, logLevel: line.logLevel)
        self.fileName = fileName
        instance = line.instance
        switch line.mode {
        case .checkConfiguration: action = .checkConfiguration
        case .printConfiguration: action = .printConfiguration
        case .recordExit: recordExit()
        case .run, .version, .help: action = .run
        }
    }

    private func recordExit() -> Never {
        do {
            try ExitRecorder.record(configuration: configurationSources, name: directoryName)
            exit(ServiceExit.success)
        } catch let error as ExitRecorder.NotInUnit {
            StandardStreams.error("\(name): \(error)\n")
            exit(ServiceExit.usage)
        } catch {
            let log = ServiceLog(identifier: instanceName)
            log.write(.error, "\(error)", .savedState)
            log.finish()
            exit(ServiceExit.system)
        }
    }
}
