// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration

/// What the command line says.
///
/// So few options need no library: the one for it would bring Foundation with it, which is half of the program and
/// a third of its memory.
nonisolated struct DaemonArguments: Equatable {
    /// What the process is to do.
    enum Mode: Equatable {
        case run, checkConfiguration, printConfiguration, recordExit, version, help
    }

    var mode = Mode.run
    var configurationFiles: [String] = []
    var socketPath: String?
    var logLevel: String?
    var unit: String?

    /// Reads the arguments, without the name of the program. `--option VALUE` and `--option=VALUE` are the same.
    ///
    /// - Throws: what is wrong with the first that is not understood.
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
            throw UsageError("'--unit' goes with '--check-config'")
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
        Turns what happens to a Linux service into lifecycle notifications.

        Usage: belfryd [--config FILE]... [--socket PATH] [--log-level LEVEL]
               belfryd --check-config [--unit UNIT] [--config FILE]...
               belfryd --print-config [--config FILE]...

          --config FILE      Read this file alone; repeat it for more, later ones over
                             earlier ones. Else: belfry.conf and belfry.conf.d/*.conf in
                             /usr/lib/belfry, /usr/local/lib/belfry, /run/belfry and
                             /etc/belfry.
          --socket PATH      Listen here; '@NAME' is an abstract address.
          --check-config     Check the configuration, say all that is wrong, and exit.
          --unit UNIT        Check this systemd unit and its drop-ins against the
                             configuration too: the name of one, looked for where
                             systemd does, or the path of a file.
          --print-config     Print what holds and where it was set, and exit.
          --log-level LEVEL  The least urgent level that is logged, emerg to debug.
          --record-exit      For ExecStopPost=: keep how the service ended, for the next
                             launch to know.
          --version          Print the version and exit.
          --help             Print this and exit.

        Stays in the foreground until SIGTERM or SIGINT. Exit status: 0 stopped in order,
        64 usage, 71 the system or a listener refused, 78 configuration, 128+n cut short
        by signal n. 'belfryctl' shows and controls what a running belfryd does.

        """
}

/// A command line that was not understood.
nonisolated struct UsageError: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
