// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfrySystemd
import TestSupport
import Testing

@testable import Belfry

nonisolated struct UnitCheckTests {
    private let directory = try! TemporaryDirectory()  // Without it, no test can do anything.

    /// The properties of the shipped unit that the check reads.
    private static let sound: [String: BusValue] = [
        "LoadState": .text("loaded"), "ActiveState": .text("active"), "Type": .text("notify"),
        "NotifyAccess": .text("main"),
        "ExecReload": .list([.list([.text("/usr/bin/belfryctl")])]), "KillMode": .text("mixed"),
        "KillSignal": .number(15),
        "RestartKillSignal": .number(15), "ReloadSignal": .number(1), "WatchdogUSec": usec(30),
        "TimeoutStopUSec": usec(30), "TimeoutStartUSec": usec(90), "Restart": .text("on-failure"),
        "RestartPreventExitStatus": .list([.list([.number(64), .number(78)]), .list([])]),
        "FileDescriptorStoreMax": .number(4608), "ProtectProc": .text("default"), "ProcSubset": .text("all"),
        "RestrictAddressFamilies": .list([.boolean(true), texts("AF_UNIX")]),
    ]

    private static func usec(_ seconds: Double) -> BusValue { .number(Int64(seconds * 1_000_000)) }

    private static func texts(_ texts: String...) -> BusValue { .list(texts.map(BusValue.text)) }

    /// What is found when these properties differ from the shipped unit.
    private func findings(
        _ changes: [String: BusValue] = [:], _ configuration: String = ""
    ) throws -> [String] {
        let file = try directory.write("belfry.conf", configuration)
        let settings = try #require(ConfigurationLoader.read(from: .files([file])).settings)
        let unit = UnitProperties(Self.sound.merging(changes) { $1 })
        return UnitCheck(unit: unit, settings: settings).findings.map(\.description)
    }

    @Test func unitThatFitsHasNoFindings() throws {
        #expect(try findings() == [])
    }

    @Test(
        arguments: [
            "error: systemd finds no such unit": ["LoadState": .text("not-found"), "Type": .text("simple")],
            "error: the unit is masked": ["LoadState": .text("masked")],
            "error: systemd could not load the unit (bad-setting): Unit has a bad unit file setting.": [
                "LoadState": .text("bad-setting"),
                "LoadError": texts("x.BadUnitSetting", "Unit has a bad unit file setting."),
            ],
            "warning: its files have changed since systemd read them, use 'systemctl daemon-reload'":
                ["NeedDaemonReload": .boolean(true)],
            "error: Type=forking does not fit a service that sends READY=1, use Type=notify":
                ["Type": .text("forking")],
            "warning: Type=exec: systemd does not wait until the service is ready, use Type=notify":
                ["Type": .text("exec")],
            "error: systemd ignores messages of the service: neither status nor watchdog work, use NotifyAccess=main":
                ["NotifyAccess": .text("none")],
            "warning: NotifyAccess=all: every process of the unit may send messages to systemd, use NotifyAccess=main":
                ["NotifyAccess": .text("all")],
            "warning: no ExecReload=: 'systemctl reload' does not work, use ExecReload=belfryctl reload":
                ["ExecReload": .list([])],
            "warning: KillMode=control-group: the stop signal goes to the service's children too, use KillMode=mixed":
                ["KillMode": .text("control-group")],
            "warning: KillMode=process: processes may remain after a stop, use KillMode=mixed":
                ["KillMode": .text("process")],
            "error: KillSignal=SIGUSR1 is the signal by which systemd stops the service, but [Signals] maps it to "
                + "'flushRequested' instead of 'stop'": ["KillSignal": .number(10), "RestartKillSignal": .number(10)],
            "error: RestartKillSignal=SIGUSR1 is the signal by which systemd stops the service, but [Signals] maps it to "
                + "'flushRequested' instead of 'stop'": ["RestartKillSignal": .number(10)],
            "error: TimeoutStopSec=20s is not more than StopTimeout=25s: if the service cannot ask systemd for it, it is "
                + "killed before the deadlines of its listeners": ["TimeoutStopUSec": usec(20)],
            "warning: TimeoutStopSec=26s is hardly more than StopTimeout=25s, leave a tenth of it for the service itself":
                ["TimeoutStopUSec": usec(26)],
            "warning: TimeoutStartSec=5s leaves listeners 4500ms, less than ListenerTimeout=10s allows one of them":
                ["TimeoutStartUSec": usec(5)],
            "warning: no WatchdogSec=: systemd does not detect that the service hangs": ["WatchdogUSec": usec(0)],
            "warning: WatchdogSec=100ms: the service wakes up twice in this time, use a second or more":
                ["WatchdogUSec": usec(0.1)],
            "warning: no FileDescriptorStoreMax=: systemd does not keep descriptors of the service over a restart":
                ["FileDescriptorStoreMax": .number(0)],
            "warning: Restart=on-failure: a service with an invalid configuration is restarted again and again, use "
                + "RestartPreventExitStatus=78": ["RestartPreventExitStatus": .list([.list([]), .list([])])],
            "warning: PrivateUsers= hides the users of clients: all but root appear as nobody":
                ["PrivateUsers": .boolean(true)],
            "warning: ProtectProc=invisible hides the senders of signals": ["ProtectProc": .text("invisible")],
            "warning: ProcSubset=pid hides memory pressure and mount points": ["ProcSubset": .text("pid")],
        ] as [String: [String: BusValue]])
    func eachPropertyThatDoesNotFitIsFound(finding: String, changes: [String: BusValue]) throws {
        #expect(try findings(changes) == [finding])
    }

    @Test(arguments: [(true, "AF_INET"), (false, "AF_UNIX")])
    func unixSocketsMustBeAllowed(isAllowList: Bool, family: String) throws {
        let found = try findings(["RestrictAddressFamilies": .list([.boolean(isAllowList), Self.texts(family)])])

        let reason = "does not allow AF_UNIX, which the service needs for systemd and for clients"
        #expect(found == ["error: RestrictAddressFamilies= \(reason)"])
    }

    @Test(
        arguments: [
            ["TimeoutStopUSec": .number(.max), "TimeoutStartUSec": .number(.max)],
            ["WatchdogUSec": .number(0), "ActiveState": .text("inactive")],
            ["Restart": .text("no"), "RestartPreventExitStatus": .list([.list([]), .list([])])],
            ["RestrictAddressFamilies": .list([.boolean(false), texts()])],
            ["Type": .text("notify-reload"), "ExecReload": .list([])],
        ] as [[String: BusValue]])
    func settingThatDoesNoHarmIsNotFound(changes: [String: BusValue]) throws {
        #expect(try findings(changes) == [])
    }

    @Test func signalOfAReloadMustReload() throws {
        let found = try findings(["Type": .text("notify-reload")], "[Signals]\nHUP=stop\n")

        #expect(
            found == [
                "error: ReloadSignal=SIGHUP is the signal by which systemd reloads the service, but [Signals] maps it to "
                    + "'stop' instead of 'reload'"
            ])
    }
}
