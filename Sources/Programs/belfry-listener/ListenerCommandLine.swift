// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration

/// The command line of `belfry-listener`.
nonisolated struct ListenerCommandLine {
    enum Mode {
        case help, version
        /// The listener of this name, from its file.
        case file(String)
        /// A listener without a file.
        case command(ListenerSettings)
    }

    let mode: Mode

    /// - Throws: for the first invalid argument.
    init(_ arguments: some Sequence<String>) throws(ValueProblem) {
        let arguments = try ArgumentList(
            arguments, flags: ["--help", "-h", "--version", "--run-on-start"],
            valued: ["--on", "--follows", "--timeout", "--socket"], words: 1)
        var (on, follows, runsOnStart): ([String], [String], Bool) = ([], [], false)
        var (timeout, socket) = (ListenerSettings.defaultTimeout, ListenerSettings.defaultSocket)
        for (option, value) in arguments.options {
            switch option {
            case "--help", "-h":
                mode = .help
                return
            case "--version":
                mode = .version
                return
            case "--on": on.append(try NotificationName.parse(value))
            case "--follows": follows.append(value)
            case "--timeout": timeout = try TimeSpanText.timeout(value)
            case "--socket": socket = value
            default: runsOnStart = true
            }
        }
        guard let name = arguments.words.first else { throw ValueProblem("missing name") }
        guard !arguments.options.isEmpty || !arguments.command.isEmpty else {
            mode = .file(name)
            return
        }
        guard !on.isEmpty else { throw ValueProblem("missing '--on'") }
        mode = .command(
            ListenerSettings(
                name: try NotificationName.parse(name), on: on,
                commands: .program(try ExecCommand(words: arguments.command)), timeout: timeout, follows: follows,
                socket: socket, runsOnStart: runsOnStart))
    }

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
