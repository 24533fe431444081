// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

/// The arguments of belfryd.
///
/// They are parsed without ArgumentParser, which depends on Foundation: that would double the size of the program and add
/// half to its memory.
nonisolated struct DaemonArguments: Equatable {
    /// What the process does.
    enum Mode: Equatable {
        case run, checkConfiguration, printConfiguration, recordExit, version, help
    }

    var mode = Mode.run
    var configurationFiles: [String] = []
    var socketPath: String?
    var logLevel: String?
    var unit: String?

    /// Parses the arguments, without the name of the program. `--option VALUE` and `--option=VALUE` are equivalent.
    ///
    /// - Throws: `UsageError` for the first invalid argument.
    init(_ arguments: some Sequence<String>) throws(UsageError) {
        var rest = Array(arguments)[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            func value() throws(UsageError) -> String {
                guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("missing value for '\(parts[0])'")
                }
                return value
            }
            switch parts[0] {
            case "--config": configurationFiles.append(try value())
            case "--socket": socketPath = try value()
            case "--log-level": logLevel = try Self.level(value())
            case "--unit": unit = try value()
            default:
                guard let mode = Self.modes[argument] else { throw Self.unknown(argument) }
                self.mode = mode
            }
        }
        if unit != nil, mode != .checkConfiguration {
            throw UsageError("'--unit' needs '--check-config'")
        }
    }

    private static let modes: [String: Mode] = [
        "--check-config": .checkConfiguration, "--print-config": .printConfiguration, "--version": .version,
        "--record-exit": .recordExit, "--help": .help, "-h": .help,
    ]

    private static func level(_ text: String) throws(UsageError) -> String {
        guard LogPriority(text) != nil else {
            throw UsageError("unknown level '\(text)', expected one of \(LogPriority.names.joined(separator: ", "))")
        }
        return text
    }

    private static func unknown(_ argument: String) -> UsageError {
        let options = modes.keys + ["--config", "--socket", "--log-level", "--unit"]
        return UsageError("unknown argument '\(argument)'\(NearestName.question(argument, in: options.sorted()))")
    }

    static let help = """
        Delivers what happens to a Linux service as lifecycle notifications.

        Usage: belfryd [--config FILE]... [--socket PATH] [--log-level LEVEL]
               belfryd --check-config [--unit UNIT] [--config FILE]...
               belfryd --print-config [--config FILE]...

          --config FILE      Read only this file; may be repeated, later files override
                             earlier ones. Default: belfry.conf and belfry.conf.d/*.conf
                             in /usr/lib/belfry, /usr/local/lib/belfry, /run/belfry and
                             /etc/belfry.
          --socket PATH      Listen on this socket; '@NAME' is an abstract address.
          --check-config     Check the configuration, print all problems, and exit.
          --unit UNIT        Also check this systemd unit and its drop-ins against the
                             configuration: the name of a unit, or the path of a file.
          --print-config     Print the settings in effect and where each was set, and
                             exit.
          --log-level LEVEL  Log no levels less urgent than this one, emerg to debug.
          --record-exit      For ExecStopPost=: record how the service ended, for the
                             next launch.
          --version          Print the version and exit.
          --help             Print this help and exit.

        Runs in the foreground until SIGTERM or SIGINT. Exit status: 0 stopped in order,
        64 usage, 71 system error or a listener refused the launch, 78 invalid
        configuration, 128+n stop cut short by signal n. 'belfryctl' inspects and controls
        a running belfryd.

        """
}

/// An invalid command line.
nonisolated struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
