// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryLinux
import Glibc
import TestSupport
import Testing

/// belfry-listener, started by belfryctl, attached to a real belfryd.
@Suite(.timeLimit(.minutes(1)))
struct ListenerProgramTests {
    /// Attaches `script`, and waits until it is attached.
    private func attach(
        _ script: String, to service: DaemonFixture, _ options: [String] = ["--on", "willReload", "com.example.x"]
    ) throws -> ProbeProcess {
        let socket = ["--socket", service.directory.path("run/io.belfry.Lifecycle")]
        let listener = try ProbeProcess(
            "belfryctl", ["attach", "guard"] + socket + options + ["--", "sh", "-c", script], reading: .error)
        listener.lines(until: "attached")
        return listener
    }

    @Test func theEndOfStandardErrorRefusesAReload() throws {
        let service = try DaemonFixture()
        let daemon = try service.startReady()
        let listener = try attach("echo no >&2; echo 'not \u{1B}today' >&2; exec >&- 2>&- <&-; exit 3", to: service)

        let reload = try service.control(["reload"], reading: .error)

        #expect(reload.status == 78)
        #expect(reload.lines == ["guard: no; not \\u{1B}today"])
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    @Test func successAcceptsAndTheInputNeedNotBeRead() throws {
        let service = try DaemonFixture()
        let daemon = try service.startReady()
        let listener = try attach("exec <&-", to: service)

        #expect(try service.control(["reload"]).status == 0)
        #expect(try service.control(["post", "com.example.x", "--wait"]).status == 0)
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    @Test func standardInputAndVariablesDescribeTheNotification() throws {
        let service = try DaemonFixture()
        let daemon = try service.startReady()
        let file = service.directory.path("out")
        let listener = try attach(
            "env | grep ^BELFRY_NOTIF >\(file); grep -o '\"userInfo\":.*' >>\(file)", to: service)

        #expect(try service.control(["post", "com.example.x", "a=b", "--wait"]).status == 0)

        #expect(
            try KernelFile.text(file) == "BELFRY_NOTIFICATION=com.example.x\n\"userInfo\":{\"a\":\"b\"}}\n")
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    @Test func atTheDeadlineTheProcessGroupEnds() throws {
        let service = try DaemonFixture()
        let daemon = try service.startReady()
        let listener = try attach(
            "trap '' TERM; sleep 1000 & echo $! >&2; wait", to: service,
            ["--on", "com.example.x", "--timeout", "200ms"])

        let post = try service.control(["post", "com.example.x", "--wait"])

        #expect(post.status == 1)
        #expect(post.lines.contains { $0.contains("guard") && $0.contains("overran") }, "\(post.lines)")
        let child = try #require(Int32(listener.line() ?? ""))
        #expect(
            listener.lines(until: "failed").last == "guard: failed at com.example.x: ended after its timeout of 200 ms")
        while kill(child, 0) == 0, !isZombie(child) { sched_yield() }
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    @Test func theRunThatIsUnderWayAtAStopIsAnswered() throws {
        let service = try DaemonFixture()
        let daemon = try service.startReady()
        // The parent of the program is belfry-listener.
        let listener = try attach("kill -TERM $PPID; echo stopped >&2", to: service, ["--on", "com.example.x"])

        #expect(try service.control(["post", "com.example.x", "--wait"]).status == 0)

        #expect(listener.lines(until: "stopped").last == "stopped")
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    @Test func aProgramThatCannotBeStartedRefusesAReload() throws {
        let service = try DaemonFixture()
        let daemon = try service.startReady()
        let socket = ["--socket", service.directory.path("run/io.belfry.Lifecycle")]
        let listener = try ProbeProcess(
            "belfryctl", ["attach", "guard"] + socket + ["--on", "willReload", "--", "/nowhere"], reading: .error)
        listener.lines(until: "attached")

        let reload = try service.control(["reload"], reading: .error)

        #expect(
            reload.lines == [
                "guard: unable to run it: the program '/nowhere': No such file or directory (ENOENT)"
            ])
        #expect(listener.stop().status == 0)
        #expect(daemon.stop().status == 0)
    }

    private func isZombie(_ pid: Int32) -> Bool {
        let stat = (try? KernelFile.text("/proc/\(pid)/stat")) ?? ""
        return stat.isEmpty || stat.contains(") Z")
    }
}
