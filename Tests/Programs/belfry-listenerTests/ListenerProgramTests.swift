// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import Glibc
import TestSupport
import Testing

/// belfry-listener, started by belfryctl, attached to a real belfryd.
@Suite(.timeLimit(.minutes(1)))
struct ListenerProgramTests {
    private let service = DaemonFixture()
    private let daemon: ProbeProcess

    init() throws { daemon = try service.startReady() }

    /// Attaches `script`, and waits until it is attached.
    private func attach(
        _ script: String, _ options: [String] = ["--on", "willReload", "com.example.x"]
    ) throws -> ProbeProcess {
        let socket = ["--socket", service.directory.path("run/io.belfry.Lifecycle")]
        let listener = try ProbeProcess(
            "belfryctl", ["attach", "guard"] + socket + options + ["--", "sh", "-c", script], reading: .error)
        listener.lines(until: "attached")
        return listener
    }

    @Test func theEndOfStandardErrorRefusesAReload() throws {
        let listener = try attach("echo no >&2; echo 'not \u{1B}today' >&2; exec >&- 2>&- <&-; exit 3")

        let reload = try service.control(["reload"], reading: .error)

        #expect(reload.status == 78)
        #expect(reload.lines == ["guard: no; not \\u{1B}today"])
        expectOrderlyEnd(of: listener)
    }

    /// Such as of one that the kernel kills for want of memory.
    @Test func theCauseOfAnEndStandsBeforeTheLastWords() throws {
        let listener = try attach("echo chatter >&2; kill -KILL $$")

        let reload = try service.control(["reload"], reading: .error)

        #expect(reload.status == 78)
        #expect(reload.lines == ["guard: ended by SIGKILL: chatter"])
        expectOrderlyEnd(of: listener)
    }

    @Test func successAcceptsAndTheInputNeedNotBeRead() throws {
        let listener = try attach("exec <&-")

        #expect(try service.control(["reload"]).status == 0)
        #expect(try service.control(["post", "com.example.x", "--wait"]).status == 0)
        expectOrderlyEnd(of: listener)
    }

    @Test func standardInputAndVariablesDescribeTheNotification() throws {
        let file = service.directory.path("out")
        let listener = try attach(
            "env | grep ^BELFRY_NOTIF >\(file); grep -o '\"userInfo\":.*' >>\(file)")

        #expect(try service.control(["post", "com.example.x", "a=b", "--wait"]).status == 0)

        #expect(
            try KernelFile.text(file) == "BELFRY_NOTIFICATION=com.example.x\n\"userInfo\":{\"a\":\"b\"}}\n")
        expectOrderlyEnd(of: listener)
    }

    @Test func atTheDeadlineTheProcessGroupEnds() throws {
        let listener = try attach(
            "trap '' TERM; sleep 1000 & echo $! >&2; wait",
            ["--on", "com.example.x", "--timeout", "2s"])

        let post = try service.control(["post", "com.example.x", "--wait"])

        #expect(post.status == 1)
        #expect(post.lines.contains { $0.contains("guard") && $0.contains("overran") }, "\(post.lines)")
        let child = try #require(Int32(listener.line() ?? ""))
        #expect(
            listener.lines(until: "failed").last == "guard: failed at com.example.x: ended after its timeout of 2 s")
        while kill(child, 0) == 0, !isZombie(child) { sched_yield() }
        expectOrderlyEnd(of: listener)
    }

    @Test func theRunThatIsUnderWayAtAStopIsAnswered() throws {
        // The parent of the program is belfry-listener.
        let listener = try attach("kill -TERM $PPID; echo stopped >&2", ["--on", "com.example.x"])

        #expect(try service.control(["post", "com.example.x", "--wait"]).status == 0)

        #expect(listener.lines(until: "stopped").last == "stopped")
        expectOrderlyEnd(of: listener)
    }

    @Test func aProgramThatCannotBeStartedRefusesAReload() throws {
        let socket = ["--socket", service.directory.path("run/io.belfry.Lifecycle")]
        let listener = try ProbeProcess(
            "belfryctl", ["attach", "guard"] + socket + ["--on", "willReload", "--", "/nowhere"], reading: .error)
        listener.lines(until: "attached")

        let reload = try service.control(["reload"], reading: .error)

        #expect(
            reload.lines == [
                "guard: unable to run it: the program '/nowhere': No such file or directory (ENOENT)"
            ])
        expectOrderlyEnd(of: listener)
    }

    private func expectOrderlyEnd(of listener: ProbeProcess) {
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    private func isZombie(_ pid: Int32) -> Bool {
        let stat = (try? KernelFile.text("/proc/\(pid)/stat")) ?? ""
        return stat.isEmpty || stat.contains(") Z")
    }
}
