// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import Lifecycle
import Testing

struct LaunchOptionsTests {
    private var word: ExitRecord {
        var word = ExitRecord(
            .stopped,
            by: .signal(
                SignalOrigin(
                    number: 15, name: "SIGTERM", pid: 1, uid: 0, unit: "init.scope", command: "systemd", value: 0)),
            realtime: .microseconds(5))
        word.reason = .restart
        word.cutShortBy = .peer(PeerOrigin(pid: 8, uid: 1000, unit: nil, command: "belfryctl"))
        word.problem = "it was late"
        word.exitStatus = 143
        word.listeners = [
            ExitRecord.ListenerTime(listener: "a", outcome: "overran", duration: .milliseconds(7), work: "closed")
        ]
        return word
    }

    private func run(boot: String = "b", word: ExitRecord? = nil, exit: UnitExit? = nil) -> ServiceRun {
        var run = ServiceRun(bootID: boot, invocationID: "i", pid: 77, startRealtime: .microseconds(3))
        run.exitRecord = word
        run.exit = exit
        return run
    }

    private func ended(_ reason: Termination.Reason, status: Int32 = 0, kind: ExitRecord.Kind = .stopped) -> ExitRecord
    {
        var word = ExitRecord(kind, by: .service, realtime: .microseconds(1))
        word.reason = reason
        word.exitStatus = status
        return word
    }

    @Test func launchOptionsAreEncodedAsUserInfo() {
        var options = LaunchOptions()
        options.cause = .crash
        options.isPaused = true
        options.triggerUnit = "a.timer"
        options.triggerPath = "/a"
        options.previousRun = run(word: word, exit: UnitExit(result: "signal", code: "killed", status: "KILL"))

        #expect(LaunchOptions(userInfo: options.userInfo) == options)
        #expect(LaunchOptions(userInfo: [:]) == LaunchOptions())
        #expect(LaunchOptions().userInfo.isEmpty)
    }

    @Test(arguments: [
        LifecycleOrigin.service, .peer(PeerOrigin(pid: 1, uid: 0, loginUID: 2, unit: "u", command: "c")),
        .signal(SignalOrigin(number: 2, name: "SIGINT", pid: 0, uid: 0, sender: .kernel)),
        .signal(SignalOrigin(number: 39, name: "SIGRTMIN+5", pid: 0, uid: 0, value: -4)),
    ])
    func originIsEncodedAsUserInfo(_ origin: LifecycleOrigin) {
        #expect(LifecycleOrigin(userInfo: origin.userInfo) == origin)
    }

    @Test func incompleteExitRecordIsNotDecoded() {
        for key in ["kind", "origin", "realtimeUsec"] {
            var info = word.userInfo
            info[key] = nil
            #expect(ExitRecord(userInfo: info) == nil)
            var run = run(word: word).userInfo
            run["lastWord"] = .object(info)
            #expect(ServiceRun(userInfo: run) == nil)
        }
        #expect(LifecycleOrigin(userInfo: ["kind": "signal", "pid": 1, "uid": 0]) == nil)
        #expect(LifecycleOrigin(userInfo: ["kind": "ghost", "pid": 1, "uid": 0]) == nil)
        #expect(LifecycleOrigin(userInfo: ["kind": "socket", "pid": 99_999_999_999, "uid": 0]) == nil)
    }

    @Test func launchCauseFollowsFromTheLastRun() {
        func cause(_ run: ServiceRun?) -> LaunchCause { LaunchCause(after: run, bootID: "b") }

        #expect(cause(nil) == .boot)
        #expect(cause(run(boot: "another", word: ended(.powerOff))) == .boot)
        #expect(cause(run(word: ended(.stop))) == .start)
        #expect(cause(run(word: ended(.restart))) == .restart)
        #expect(cause(run(word: ended(.failed, status: 70))) == .failure)
        #expect(cause(run(word: ended(.signal, status: 143))) == .failure)
        #expect(cause(run()) == .crash)
        #expect(cause(run(word: ended(.stop, kind: .stopping))) == .crash)
        #expect(cause(run(word: ExitRecord(.paused, by: .service, realtime: .microseconds(1)))) == .crash)
    }

    @Test func resultOfTheServiceManagerOverridesTheRecord() {
        let killed = UnitExit(result: "signal", code: "killed", status: "KILL")
        let watchdog = UnitExit(result: "watchdog", code: "dumped", status: "ABRT")
        let clean = UnitExit(result: "success", code: "exited", status: "0")

        #expect(LaunchCause(after: run(exit: watchdog), bootID: "b") == .watchdog)
        #expect(LaunchCause(after: run(exit: killed), bootID: "b") == .crash)
        #expect(LaunchCause(after: run(word: ended(.stop), exit: killed), bootID: "b") == .crash)
        #expect(LaunchCause(after: run(word: ended(.stop), exit: clean), bootID: "b") == .start)
    }

    @Test func emptyEnvironmentGivesDefaultOptions() {
        #expect(LaunchOptions(environment: [:]) == LaunchOptions())
        #expect(LaunchOptions(environment: ["TRIGGER_UNIT": "", "TRIGGER_PATH": ""]) == LaunchOptions())
    }

    @Test func triggerIsAPathOrATimer() {
        let path = LaunchOptions(environment: ["TRIGGER_UNIT": "inbox.path", "TRIGGER_PATH": "/run/inbox"])
        let timer = LaunchOptions(environment: ["TRIGGER_UNIT": "nightly.timer"])

        #expect(path.triggerUnit == "inbox.path" && path.triggerPath == "/run/inbox")
        #expect(timer.triggerUnit == "nightly.timer" && timer.triggerPath == nil)
    }

    @Test func exitIsRead() {
        let environment = ["SERVICE_RESULT": "watchdog", "EXIT_CODE": "killed", "EXIT_STATUS": "ABRT"]

        #expect(UnitExit(environment: environment)?.description == "watchdog, killed by SIGABRT")
        #expect(UnitExit(environment: ["SERVICE_RESULT": ""]) == nil)
        #expect(UnitExit(environment: ["SERVICE_RESULT": "resources"])?.description == "resources")
        #expect(
            UnitExit(environment: ["SERVICE_RESULT": "success", "EXIT_CODE": "exited", "EXIT_STATUS": "0"])?.description
                == "success, status 0")
    }
}
