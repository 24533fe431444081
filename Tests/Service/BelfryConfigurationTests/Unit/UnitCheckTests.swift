// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct UnitCheckTests {
    /// The settings of the shipped unit that the check reads.
    private static let sound = """
        [Service]
        Type=notify
        NotifyAccess=main
        ExecReload=/usr/bin/belfryctl reload
        KillMode=mixed
        WatchdogSec=30s
        TimeoutStopSec=30s
        FileDescriptorStoreMax=16
        LimitNOFILE=8192
        User=belfry
        RuntimeDirectory=belfry
        StateDirectory=belfry
        ProtectSystem=strict
        RestrictAddressFamilies=AF_UNIX

        """

    private func problems(
        _ more: String, unit: String = UnitCheckTests.sound, dropIns: [String: String] = [:],
        _ configuration: String = ""
    ) -> [String] {
        var files = ["/u.service": unit + more, "b.conf": configuration]
        for (name, text) in dropIns { files["/u.service.d/\(name)"] = text }
        let reader = MemoryFiles(files)
        let settings = ConfigurationLoader.load(from: .files(["b.conf"]), reader: reader).settings
        return UnitCheck.run("/u.service", against: settings, reader: reader).map { String($0.description.dropFirst()) }
    }

    @Test func correctUnitHasNoFindings() {
        #expect(problems("") == [])
    }

    @Test func directoriesOfAnInstanceHaveItsName() throws {
        let directory = try TemporaryDirectory()
        try directory.write(
            "usr/lib/systemd/system/b@.service",
            Self.sound + "RuntimeDirectory=b@%i\nStateDirectory=b@%i\nCacheDirectory=b@%i\n")

        func problems(_ path: String) -> [String] {
            let reader = MemoryFiles(["b.conf": "[Cache c]\nPath=\(path)\n"])
            let settings = ConfigurationLoader.load(from: .files(["b.conf"]), reader: reader).settings
            return UnitCheck.run("b@video", against: settings, name: "b@video", root: directory.url.path)
                .map(\.description)
        }

        #expect(problems("/var/cache/b@video/thumbs") == [])
        #expect(problems("/var/cache/b@audio/thumbs").count == 1)
    }

    @Test func shippedUnitHasNoFindings() {
        let found = UnitCheck.run(ProjectFile.url("systemd/belfryd.service").path, against: .defaults)

        #expect(found.map(\.description) == [])
    }

    @Test(arguments: [
        (
            "Type=forking",
            "u.service:15:1: error: Type=forking does not fit a service that sends READY=1, use "
                + "Type=notify"
        ),
        (
            "NotifyAccess=all",
            "u.service:15:1: warning: NotifyAccess=all: every process of the unit may send messages "
                + "to systemd, use NotifyAccess=main"
        ),
        (
            "KillMode=process",
            "u.service:15:1: warning: KillMode=process: processes may remain after a stop, use "
                + "KillMode=mixed"
        ),
        (
            "KillSignal=SIGUSR1",
            "u.service:15:1: error: KillSignal=SIGUSR1 is the signal by which systemd stops the "
                + "service, but [Signals] maps it to 'flushRequested' instead of 'stop'"
        ),
        ("KillSignal=SIGFOO", "u.service:15:12: error: invalid value of KillSignal: unknown signal 'SIGFOO'"),
        (
            "TimeoutStopSec=20s",
            "u.service:15:1: error: TimeoutStopSec=20s is not more than StopTimeout=25s: if the "
                + "service cannot ask systemd for it, it is killed before the deadlines of its listeners"
        ),
        (
            "TimeoutStopSec=26s",
            "u.service:15:1: warning: TimeoutStopSec=26s is hardly more than StopTimeout=25s, leave "
                + "a tenth of it for the service itself"
        ),
        (
            "TimeoutStopSec=3 parsecs",
            "u.service:15:18: error: invalid value of TimeoutStopSec: unknown unit of time 'parsecs'"
        ),
        (
            "TimeoutStartSec=5s",
            "u.service:15:1: warning: TimeoutStartSec=5s leaves listeners 4500ms, less than "
                + "ListenerTimeout=10s allows one of them"
        ),
        ("WatchdogSec=0", "u.service:15:1: warning: no WatchdogSec=: systemd does not detect that the service hangs"),
        (
            "WatchdogSec=100ms",
            "u.service:15:1: warning: WatchdogSec=100ms: the service wakes up twice in this time, "
                + "use a second or more"
        ),
        (
            "FileDescriptorStoreMax=0",
            "u.service:15:1: warning: no FileDescriptorStoreMax=: systemd does not keep descriptors "
                + "of the service over a restart"
        ),
        (
            "LimitNOFILE=1024",
            "u.service:15:1: warning: LimitNOFILE=1024 is too small for ConnectionsMax=4096 and "
                + "the other descriptors"
        ),
        (
            "Restart=always",
            "u.service:15:1: warning: Restart=always: a service with an invalid configuration is "
                + "restarted again and again, use RestartPreventExitStatus=78"
        ),
        (
            "ExecReload=",
            "u.service:2:1: warning: no ExecReload=: 'systemctl reload' does not work, use "
                + "ExecReload=belfryctl reload"
        ),
        (
            "PrivateUsers=yes",
            "u.service:15:1: warning: PrivateUsers= hides the users of clients: all but root appear as nobody"
        ),
        ("ProtectProc=invisible", "u.service:15:1: warning: ProtectProc=invisible hides the senders of signals"),
        ("ProcSubset=pid", "u.service:15:1: warning: ProcSubset=pid hides memory pressure and mount points"),
        (
            "RestrictAddressFamilies=\nRestrictAddressFamilies=AF_INET",
            "u.service:16:1: error: RestrictAddressFamilies=AF_INET does not allow AF_UNIX, which the "
                + "service needs for systemd and for clients"
        ),
    ])
    func eachWrongSettingIsFound(setting: String, finding: String) {
        #expect(problems(setting + "\n") == [finding])
    }

    @Test(arguments: ["StateDirectory=\n", "StateDirectory=\nUser=root\n"])
    func stateNeedsADirectoryOfItsOwn(_ settings: String) {
        let finding =
            "u.service:1:2: warning: no StateDirectory=: the exit record is not stored, or mistaken for that of "
            + "another service"

        #expect(problems(settings) == [finding])
        #expect(problems(settings + "ReadWritePaths=/srv\n", "[Service]\nStateDirectory=/srv/state\n") == [])
        #expect(problems(settings + "StateDirectory=mine\n") == [])
    }

    @Test func stateDirectoryOfTheConfigurationMustBeWritable() {
        let found = problems("", "[Service]\nStateDirectory=/srv/state\n")

        let message =
            "makes '/srv/state' read-only, which the service writes to: "
            + "use StateDirectory=, or use ReadWritePaths=-/srv/state in a drop-in"
        #expect(found.count == 1 && found[0].hasSuffix(message))
    }

    @Test func emptyUnitHasManyFindings() {
        let found = problems("", unit: "[Unit]\nDescription=x\n[Service]\nExecStart=/x\n")

        #expect(
            found == [
                "u.service:3:2: warning: without Type= systemd does not wait until the service is ready, "
                    + "use Type=notify",
                "u.service:3:2: error: systemd ignores messages of the service: neither status nor watchdog work, "
                    + "use NotifyAccess=main",
                "u.service:3:2: warning: no KillMode=, which is control-group: the stop signal goes to the service's "
                    + "children too, use KillMode=mixed",
                "u.service:3:2: warning: no WatchdogSec=: systemd does not detect that the service hangs",
                "u.service:3:2: warning: no FileDescriptorStoreMax=: systemd does not keep descriptors of the service "
                    + "over a restart",
                "u.service:3:2: warning: no StateDirectory=: the exit record is not stored, or mistaken for that "
                    + "of another service",
            ])
    }

    @Test func missingUnitAndUnitWithoutASectionAreErrors() {
        let reader = MemoryFiles(["/other.service": "[Unit]\n"])

        #expect(
            UnitCheck.run("/other.service", against: .defaults, reader: reader).map(\.description) == [
                "/other.service:1:1: error: missing section [Service]"
            ])
        for unit in ["/none.service", "other.service"] {
            #expect(
                UnitCheck.run(unit, against: .defaults, reader: reader).map(\.description) == [
                    "\(unit):1:1: error: unable to find '\(unit)': No such file or directory (ENOENT)"
                ])
        }
    }

    @Test func dropInsOverrideTheUnit() {
        let found = problems(
            "", dropIns: ["50-a.conf": "[Service]\nKillMode=none\n", "60-b.conf": "[Service]\nKillMode=mixed\n"])
        #expect(found == [])

        let late = problems("", dropIns: ["70-c.conf": "[Service]\nKillMode=none\n"])
        #expect(late.map { $0.prefix(36) } == ["u.service.d/70-c.conf:2:1: warning: "])
    }

    @Test func reloadSignalMustReload() {
        let found = problems("Type=notify-reload\n", "[Signals]\nHUP=stop\n")

        #expect(
            found == [
                "u.service:1:2: error: ReloadSignal=SIGHUP is the signal by which systemd reloads the service, but [Signals] maps it "
                    + "to 'stop' instead of 'reload'"
            ])
    }

    @Test(
        arguments: [
            (
                "", "/var/cache/x",
                "error: ProtectSystem=strict makes '/var/cache/x' read-only, which [Cache c] writes to: "
                    + "use ReadWritePaths=-/var/cache/x in a drop-in"
            ),
            ("ReadWritePaths=-/var/cache", "/var/cache/x", nil),
            ("CacheDirectory=x", "/var/cache/x/y", nil),
            (
                "ReadWritePaths=/srv\nReadOnlyPaths=/srv/a",
                "/srv/a/b", "error: ReadOnlyPaths=/srv/a makes '/srv/a/b' read-only"
            ),
            ("ReadWritePaths=/srv\nReadOnlyPaths=/srv/a", "/srv/ab", nil),
            ("PrivateTmp=yes", "/tmp/x", "warning: PrivateTmp=yes gives the service a private '/tmp/x'"),
            ("ProtectHome=yes", "/home/me/x", "error: ProtectHome=yes hides '/home/me/x', which [Cache c] needs"),
            ("ProtectSystem=full", "/var/cache/x", nil),
            ("ProtectSystem=full", "/usr/x", "error: ProtectSystem=full makes '/usr/x' read-only"),
            ("ProtectSystem=no\nBindPaths=/a:/b", "/b/c", nil),
        ] as [(String, String, String?)])
    func cacheMustBeWritable(settings: String, path: String, finding: String?) {
        let found = problems(settings + "\n", "[Cache c]\nPath=\(path)\n")

        #expect(found.count == (finding == nil ? 0 : 1))
        if let finding { #expect(found.first?.contains(finding) == true, "\(found)") }
    }

    @Test func invalidConfigurationSkipsComparisons() {
        #expect(problems("TimeoutStopSec=1s\n", "[Nonsense]\n") == [])
    }
}
