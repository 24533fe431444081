// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration

/// The command line of `belfry-listener`. It is parsed without ArgumentParser, which takes more memory than all the rest.
nonisolated struct ListenerCommandLine {
    enum Mode {
        case help, version
        /// The listener of this name, from its file.
        case file(String)
        /// A listener without a file.
        case command(ListenerSettings)
    }

    let mode: Mode

    /// - Throws: `ValueProblem` for the first invalid argument.
    init(_ arguments: some Sequence<String>) throws(ValueProblem) {
        var rest = Array(arguments)[...]
        var (name, on, follows, command): (String?, [String], [String], [String]) = (nil, [], [], [])
        var (timeout, socket) = (ListenerSettings.defaultTimeout, ListenerSettings.defaultSocket)
        var (runsOnStart, hasOptions) = (false, false)
        while let argument = rest.popFirst() {
            func value() throws(ValueProblem) -> String {
                guard let value = rest.popFirst() else { throw ValueProblem("missing value for '\(argument)'") }
                return value
            }
            hasOptions = hasOptions || argument.hasPrefix("-")
            switch argument {
            case "--help", "-h":
                mode = .help
                return
            case "--version":
                mode = .version
                return
            case "--on": on.append(try NotificationName.parse(value()))
            case "--follows": follows.append(try value())
            case "--timeout":
                guard let span = try TimeSpanText.parse(value()) else { throw ValueProblem("the timeout must end") }
                timeout = span
            case "--socket": socket = try value()
            case "--run-on-start": runsOnStart = true
            case "--":
                command = Array(rest)
                rest = []
            case _ where argument.hasPrefix("-") || name != nil:
                let question = NearestName.question(argument, in: Self.options)
                throw ValueProblem("unknown argument '\(DisplayText.cut(argument))'\(question)")
            default: name = argument
            }
        }
        guard let name else { throw ValueProblem("missing name") }
        if !hasOptions, command.isEmpty {
            mode = .file(name)
        } else {
            guard !on.isEmpty else { throw ValueProblem("missing '--on'") }
            mode = .command(
                ListenerSettings(
                    name: try NotificationName.parse(name), on: on, commands: .program(try ExecCommand(words: command)),
                    timeout: timeout, follows: follows, socket: socket, runsOnStart: runsOnStart))
        }
    }

    private static let options = [
        "--help", "--version", "--on", "--follows", "--timeout", "--socket", "--run-on-start",
    ]

    static let help = """
        Runs a program as a listener of a service.

        Usage: belfry-listener NAME
               belfry-listener NAME --on NOTIFICATION... [OPTION]... -- COMMAND [ARGUMENT]...

        The first form reads NAME.listener in /etc/belfry/listeners.d, /run/belfry/listeners.d,
        /usr/local/lib/belfry/listeners.d or /usr/lib/belfry/listeners.d, or else the
        application NAME.conf in /etc/belfry/applications and so on. The unit
        belfry-listener@NAME.service uses it. 'belfryctl attach' uses the second form.

          --on NAME         Run COMMAND for this notification; may be repeated.
          --timeout TIME    End a run after this time. Default: 10s.
          --follows NAME    Come after this listener; may be repeated.
          --socket PATH     The socket of the service.
          --run-on-start    Also run COMMAND once after each attachment.
          --version         Print the version and exit.
          --help            Print this help and exit.

        Exit status: 0 stopped by a signal, 64 usage, 69 the service refused the listener, 71
        system error, 77 permission denied, 78 invalid file.

        """
}
