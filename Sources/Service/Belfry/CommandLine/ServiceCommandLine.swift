// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfrySystemd

/// The command line of a service.
nonisolated struct ServiceCommandLine: Sendable {
    /// What the process does.
    enum Mode: Sendable {
        case run, checkConfiguration, printConfiguration, recordExit, version, help
    }

    private(set) var mode = Mode.run
    private(set) var instance: String?
    private(set) var configurationFiles: [String] = []
    private(set) var socketPath: String?
    private(set) var logLevel: String?

    /// Parses the arguments, without the name of the program.
    ///
    /// - Throws: for the first invalid argument.
    init(_ arguments: some Sequence<String>) throws(ValueProblem) {
        let arguments = try ArgumentList(
            arguments, flags: Array(Self.modes.keys), valued: ["--instance", "--config", "--socket", "--log-level"])
        for (option, value) in arguments.options {
            switch option {
            case "--instance": instance = try InstanceName.parse(value)
            case "--config": configurationFiles.append(value)
            case "--socket": socketPath = value
            case "--log-level": logLevel = try Self.level(value)
            default: mode = Self.modes[option] ?? mode
            }
        }
    }

    private static let modes: [String: Mode] = [
        "--check-config": .checkConfiguration, "--print-config": .printConfiguration, "--version": .version,
        "--record-exit": .recordExit, "--help": .help, "-h": .help,
    ]

    /// The name or number of a log level.
    private static func level(_ text: String) throws(ValueProblem) -> String {
        guard LogPriority(text) != nil else {
            throw ValueProblem("unknown level '\(text)', expected one of \(LogPriority.names.joined(separator: ", "))")
        }
        return text
    }

    /// The text of `--help`.
    ///
    /// - Parameters:
    ///   - name: the name of the service.
    ///   - files: the name of its directories.
    ///   - configuration: the directory and the name of its configuration files.
    ///   - about: the first lines.
    static func help(
        _ name: String, files: String, configuration: (directory: String, file: String), about: String
    ) -> String {
        let (directory, file) = configuration
        return """
            \(about)

            Usage: \(name) [--instance NAME] [--config FILE]... [--socket PATH] [--log-level LEVEL]
                   \(name) --check-config [--instance NAME] [--config FILE]...
                   \(name) --print-config [--instance NAME] [--config FILE]...

              --instance NAME    Run as the instance NAME, with files in
                                 /etc/\(directory)/instances/NAME instead of /etc/\(directory), and so on,
                                 and the directories /run/\(files)@NAME and /var/lib/\(files)@NAME.
              --config FILE      Read only this file; may be repeated, later files override
                                 earlier ones. Default: \(file).conf and \(file).conf.d/*.conf
                                 in /usr/lib/\(directory), /usr/local/lib/\(directory), /run/\(directory) and
                                 /etc/\(directory).
              --socket PATH      Listen on this socket; '@NAME' is an abstract address.
              --check-config     Check the configuration, print all problems, and exit.
              --print-config     Print the settings in effect and where each was set, and
                                 exit.
              --log-level LEVEL  Log no levels less urgent than this one, emerg to debug.
              --record-exit      For ExecStopPost=: record how the service ended, for the
                                 next launch.
              --version          Print the version and exit.
              --help             Print this help and exit.

            Runs in the foreground until SIGTERM or SIGINT. Exit status: 0 stopped in order,
            64 usage, 70 a part of the service failed, 71 system error or launch refused,
            78 invalid configuration, 128+n stop cut short by signal n;
            LateStopExitStatus= sets that of a stop with a late listener.

            """
    }
}
