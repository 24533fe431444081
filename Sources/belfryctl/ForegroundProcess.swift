// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop
import Glibc
import BelfryLinux

/// A command in our own process group and on our own terminal, with the signal mask and dispositions of a shell's child.
@MainActor
final class ForegroundProcess {
    private let pid: pid_t
    private var source: ChildEventSource?

    /// Starts the command, which is looked for in `$PATH`. `onEnd` is called with its exit status as a shell has it.
    init(
        _ command: [String], on loop: MainEventLoop, onEnd: @escaping (CommandStatus) -> Void
    ) throws(SystemError) {
        var child = sigset_t()
        sigemptyset(&child)
        sigaddset(&child, SIGCHLD)
        pthread_sigmask(SIG_BLOCK, &child, nil)
        pid = try Self.spawn(command)
        source = try loop.source(child: pid) { exit in
            switch exit.reason {
            case .exited(let status): onEnd(CommandStatus(rawValue: status))
            case .signaled(let number): onEnd(CommandStatus(rawValue: 128 + number))
            }
        }
    }

    func send(_ number: Int32) { kill(pid, number) }

    private static func spawn(_ command: [String]) throws(SystemError) -> pid_t {
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var words = command.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var pid: pid_t = 0
        let failure = posix_spawnp(&pid, command[0], nil, &attributes, &words, environ)
        if failure != 0 { throw SystemError(failure, verb: "run", object: command[0]) }
        return pid
    }
}
