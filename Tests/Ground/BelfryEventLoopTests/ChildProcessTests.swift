// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ChildProcessTests {
    private let folder: TemporaryDirectory
    /// A file in place of `cgroup.procs`.
    private let processes: OwnedDescriptor

    init() throws {
        folder = try TemporaryDirectory()
        // sd_event_add_child(3) wants it blocked.
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGCHLD)
        pthread_sigmask(SIG_BLOCK, &set, nil)
        processes = OwnedDescriptor(owning: open(folder.path("procs"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
    }

    private func command(_ program: String, _ arguments: [String] = []) -> ChildCommand {
        var command = ChildCommand(program, arguments, environment: ["PATH": "/usr/bin:/bin", "A": "b"])
        command.controlGroup = processes.number
        return command
    }

    @Test func aChildEntersItsControlGroupBeforeItRuns() throws {
        let loop = try MainEventLoop()
        var exit: ChildExit?
        // The child has read what it wrote itself, its variables, no other descriptors and no blocked signals.
        let script = """
            [ "$(cat \(folder.path("procs")))" = 0 ] && [ "$A" = b ] && [ ! -e /proc/self/fd/3 ] \
            && grep -q 'SigBlk:.0*$' /proc/self/status && [ $(ps -o pgid= $$) = $$ ]
            """

        let child = try ChildProcess(command("sh", ["-c", script]), on: loop) { exit = $0 }
        try loop.turn { exit != nil }

        #expect(exit?.reason == .exited(0))
        #expect(child.exit == exit)
    }

    /// A lower limit: a slow machine makes the end late, never early.
    @Test func aChildHasItsWholeTimeToEndAfterWorkInTheSameTurn() throws {
        let loop = try MainEventLoop()
        var exit: ChildExit?
        let script = "trap '' TERM; : > \(folder.path("ready")); while :; do sleep 1; done"
        let child = try ChildProcess(command("sh", ["-c", script]), on: loop) { exit = $0 }
        try loop.turn { access(folder.path("ready"), F_OK) == 0 }

        let start = try loop.inLongTurn {
            defer { child.end(within: .milliseconds(50)) }
            return MonotonicInstant.now
        }
        try loop.turn { exit != nil }

        #expect(MonotonicInstant.now - start >= .milliseconds(50))
        #expect(exit?.reason == .signaled(SIGKILL))
    }

    @Test func aProgramThatCannotBeRunIsAnError() throws {
        let loop = try MainEventLoop()

        let error = #expect(throws: SystemError.self) { try ChildProcess(command("/nowhere"), on: loop) { _ in } }

        #expect(error?.description == "unable to start '/nowhere': No such file or directory (ENOENT)")
        #expect(waitpid(-1, nil, WNOHANG) <= 0)
    }
}
