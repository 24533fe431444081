// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Lifecycle
import TestSupport
import Testing

struct ApplicationFileTests {
    private static let folder = "/etc/belfry/applications"

    private func file(_ text: String, _ others: [String: String] = [:]) -> ApplicationFile {
        ApplicationFile(
            "redis", in: .system(),
            reader: MemoryFiles(others.merging(["\(Self.folder)/redis.conf": text]) { $1 }))
    }

    @Test func everyKeyIsRead() throws {
        let settings = try #require(
            file(
                """
                [Application]
                Unit=redis-server.service
                User=redis
                Timeout=20s
                HealthInterval=1min
                HealthStart=2min
                HealthRetries=5
                [On]
                Pause=redis-cli CLIENT PAUSE 86400000 WRITE
                Stop=redis-cli SAVE
                com.example.x=/bin/echo %i
                Health=redis-cli PING
                """
            ).settings)

        #expect(settings.unit == "redis-server.service" && settings.user == "redis" && settings.pauseMax == nil)
        #expect(settings.file == "\(Self.folder)/redis.conf")
        let listener = settings.listener
        #expect(listener.on == ["didEnterBackground", "willTerminate", "com.example.x", "willEnterForeground"])
        #expect(listener.timeout == .seconds(20) && listener.socket == "/run/belfry@redis/io.belfry.Lifecycle")
        let schedule = try #require(listener.health?.schedule)
        #expect((schedule.interval, schedule.start, schedule.retries) == (.seconds(60), .seconds(120), 5))
        #expect(settings.command(at: .willTerminate)?.key == "Stop" && settings.command(at: .didReload) == nil)
    }

    @Test(
        arguments: [("23h", .seconds(23 * 3600)), ("2w", .seconds(14 * 86400)), ("infinity", nil), ("", nil)]
            as [(String, Duration?)])
    func pauseMayHaveALongestTime(text: String, expected: Duration?) throws {
        let settings = try #require(file("[Application]\nUnit=a.service\nPauseMax=\(text)\n[On]\nPause=a").settings)

        #expect(settings.pauseMax == expected)
    }

    @Test(
        arguments: [
            ("didEnterBackground", "pause", nil, "p"), ("didEnterBackground", "stop", nil, nil),
            ("didEnterBackground", nil, nil, nil), ("willTerminate", "stop", "stop", "s"),
            ("willTerminate", "stop", "restart", "s"), ("willTerminate", "stop", "none", nil),
            ("willTerminate", "stop", "over", nil), ("willTerminate", "stop", nil, nil),
            ("com.example.x", nil, nil, "x"), ("com.example.y", nil, nil, nil),
        ] as [(String, String?, String?, String?)])
    func theEndOfBelfrydIsNeitherAPauseNorAStop(
        name: String, trigger: String?, job: String?, expected: String?
    ) throws {
        let text = "[Application]\nUnit=a.service\n[On]\nPause=p\nStop=s\ncom.example.x=x\n"
        let settings = try #require(file(text).settings)

        let command = settings.command(
            at: try #require(LifecycleNotification.Name(name)), trigger.flatMap(LifecycleTrigger.init), unitJob: job)

        #expect(command?.command.program == expected)
        #expect(settings.listener.commands.command(of: command?.key)?.program == expected)
    }

    @Test(arguments: [
        "": "1:1: error: missing section [Application]",
        "[Application]\n[On]\nStop=a": "1:2: error: missing key 'Unit' in section [Application]",
        "[Application]\nUnit=a.service": "2:1: error: there is nothing to run, section [On] is missing or empty",
        "[Application]\nUnit=a.service\n[On]\nPause=a\ndidEnterBackground=b":
            "5:1: error: 'didEnterBackground' and 'Pause' are the same notification, use one of them",
        "[Application]\nUnit=a.service\n[On]\nPause=./a":
            "4:7: error: invalid value of 'Pause': expected an absolute path or a name without '/', not './a'",
        "[Application]\nUnit=a.service\n[On]\n1x=a":
            "4:1: error: invalid notification name '1x', expected a letter, then letters, digits, '.' and '-'",
        "[Application]\nUnit=a.service\nHealthInterval=1ms\n[On]\nStop=a":
            "3:16: error: invalid value of 'HealthInterval': expected a time span from 1s to 1d",
        "[Application]\nUnit=a.service\nHealthStart=2d\n[On]\nStop=a":
            "3:13: error: invalid value of 'HealthStart': expected a time span from 0 to 1d",
        "[Application]\nUnit=a.service\nPauseMax=0\n[On]\nPause=a":
            "3:10: error: invalid value of 'PauseMax': time span is too short, expected at least 1e-06 seconds",
        "[Aplication]\nUnit=a.service": "1:2: error: unknown section [Aplication], did you mean '[Application]'?",
    ])
    func errorsHaveTheirPlace(text: String, message: String) {
        let file = file(text)

        #expect(file.settings == nil)
        #expect(file.file.diagnostics.first?.description == "\(Self.folder)/redis.conf:\(message)")
    }

    @Test(arguments: [
        ("multi-user.target", "expected the full name of a service, such as 'redis-server.service'"),
        ("redis", "expected the full name of a service"), (".service", "expected the full name of a service"),
        ("-.slice", "expected the full name of a service"), ("init.scope", "expected the full name of a service"),
        ("postgresql@.service", "expected a template with its instance"),
        ("belfryd.service", "expected a service that is not Belfry's own"),
        ("belfryd@redis.service", "expected a service that is not Belfry's own"),
        ("belfry-listener@redis.service", "expected a service that is not Belfry's own"),
        ("a b.service", "expected letters, digits"), ("a%i.service", "expected letters, digits"),
        ("../a.service", "expected letters, digits"),
    ])
    func onlyServicesOfOthersAreApplications(unit: String, message: String) {
        let file = file("[Application]\nUnit=\(unit)\n[On]\nStop=a\n")

        #expect(file.settings == nil)
        #expect(file.file.diagnostics.first?.message.contains(message) == true, "\(file.file.diagnostics)")
    }

    @Test(arguments: [
        "Pausee": "did you mean 'Pause'?", "ExecStop": "did you mean 'Stop'?", "OnStop": "did you mean 'Stop'?",
        "HealthCheck": "did you mean 'Health'?",
        "ExecReload": "did you mean 'Reload'?", "flushrequested": "did you mean 'flushRequested'?",
        "Drain": "expected one of Start, Pause, ", "com.example.x": nil, "flushRequested": nil, "Flush": nil,
    ])
    func aKeyOfAnotherProgramIsAnError(key: String, hint: String?) {
        let found = file("[Application]\nUnit=a.service\n[On]\n\(key)=a\n")

        #expect((found.settings == nil) == (hint != nil))
        let message = found.file.diagnostics.first?.message
        #expect(message?.hasPrefix("unknown key '\(key)' in section [On], \(hint ?? "")") == (hint == nil ? nil : true))
    }

    /// The stop waits for the command that runs, and the command for the stop.
    @Test(arguments: [
        ("Reload", "systemctl restart a"), ("Reload", "/usr/bin/systemctl try-restart a.service"),
        ("Reload", "-systemctl -q restart a"), ("MemoryWarning", "systemctl restart a"),
        ("Start", "systemctl stop b a"),
        ("Stop", "systemctl stop %i"), ("com.example.x", "systemctl reload-or-restart a"),
        ("Pause", "systemctl try-reload-or-restart 'a.service'"),
    ])
    func aCommandThatWaitsForTheStopOfItsUnitIsAnError(key: String, command: String) {
        let unit = command.hasSuffix("%i") ? "redis" : "a"
        let file = file("[Application]\nUnit=\(unit).service\n[On]\n\(key)=\(command)\n")

        #expect(file.settings == nil)
        #expect(
            file.file.diagnostics.map(\.description) == [
                "\(Self.folder)/redis.conf:4:1: error: systemctl waits for the stop of '\(unit).service', "
                    + "which waits for this: use --no-block"
            ])
    }

    @Test(arguments: [
        "systemctl --no-block restart a", "systemctl restart a --no-block", "systemctl reload a",
        "systemctl kill -s HUP a", "systemctl is-active a", "systemctl show a", "systemctl start a",
        "systemctl restart b", "systemctl restart a.socket", "systemctl restart aa", "systemctl restart",
        "systemctl --host=c restart a", "systemctl -H c restart a", "systemctl --user restart a", "echo restart a",
        "sh -c 'systemctl restart a'", "systemctl",
    ])
    func anyOtherCommandOfSystemctlIsNone(command: String) {
        #expect(file("[Application]\nUnit=a.service\n[On]\nReload=\(command)\n").settings != nil)
    }

    @Test func theManagerOfAUserHasAnotherUnitOfThisName() {
        let scope = ApplicationScope.user(configuration: "/home/a/.config/belfry", runtime: "/run/user/1")
        func isRead(_ command: String) -> Bool {
            let text = "[Application]\nUnit=a.service\n[On]\nReload=\(command)\n"
            let files = MemoryFiles(["/home/a/.config/belfry/applications/x.conf": text])
            return ApplicationFile("x", in: scope, reader: files).settings != nil
        }

        #expect(isRead("systemctl restart a") && !isRead("systemctl --user restart a"))
    }

    @Test func aKeyTwiceInOneFileIsAnErrorAndInADropInIsNot() {
        let text = "[Application]\nUnit=a.service\n[On]\nStop=a\n"
        let other = ["/usr/lib/belfry/applications/redis.conf.d/a.conf": "[On]\nStop=b\n"]

        #expect(
            file(text + "Stop=b\n").file.diagnostics.map(\.description) == [
                "\(Self.folder)/redis.conf:5:1: error: 'Stop' is set twice, and only this command would be run"
            ])
        #expect(file(text + "Stop=\nStop=b\n").settings != nil)
        #expect(file(text, other).settings?.commands.map(\.command.program) == ["b"])
    }

    @Test func dropInsChangeSingleKeys() throws {
        let more = ["/usr/lib/belfry/applications/redis.conf.d/a.conf": "[On]\nStop=\nFlush=f\n"]
        let settings = try #require(file("[Application]\nUnit=a.service\n[On]\nStop=s\n", more).settings)

        #expect(settings.listener.on == ["flushRequested"])
    }

    @Test func dropInsAloneDeclareNothing() {
        let dropIn = "\(Self.folder)/redis.conf.d/unit.conf"
        let files = MemoryFiles([dropIn: "[Application]\nUnit=a.service\n[On]\nStop=s\n"])

        let file = ApplicationFile("redis", in: .system(), reader: files)

        #expect(file.settings == nil && file.file.files.isEmpty)
        let problems = file.file.diagnostics.map(\.description)
        #expect(problems == ["\(Self.folder)/redis.conf:1:1: error: there is no such file"])
    }

    @Test func aFileThatCannotBeReadIsDeclaredAllTheSame() throws {
        let directory = try TemporaryDirectory()
        let folder = "root\(Self.folder)"
        try directory.write("\(folder)/text.conf", "")
        try directory.write("\(folder)/directory.conf/file", "")
        try directory.write("\(folder)/dropIn.conf.d/a.conf", "")
        let scope = ApplicationScope.system(root: directory.path("root"))

        let declared = ["text", "directory", "dropIn", "none"].filter { ApplicationFile.isDeclared($0, in: scope) }

        #expect(declared == ["text", "directory"])
        let path = directory.path("\(folder)/directory.conf")
        #expect(
            ApplicationFile("directory", in: scope).file.diagnostics.map(\.description) == [
                "\(path):1:1: error: unable to read '\(path)': Is a directory (EISDIR)"
            ])
    }

    @Test func aListenerOfTheSameNameIsAnError() {
        let other = ["/etc/belfry/listeners.d/redis.listener": "[Listener]\nOn=a\nExec=b\n"]
        let file = file("[Application]\nUnit=a.service\n[On]\nStop=s\n", other)

        #expect(file.settings == nil && file.declared == nil)
        #expect(file.file.diagnostics.first?.message.contains("there is a listener of this name") == true)
    }

    @Test func anApplicationOfAUserHasNoUser() {
        let scope = ApplicationScope.user(configuration: "/home/a/.config/belfry", runtime: "/run/user/1")
        func read(_ user: String) -> ApplicationFile {
            let text = "[Application]\nUnit=a.service\n\(user)[On]\nStop=s\n"
            return ApplicationFile(
                "x", in: scope, reader: MemoryFiles(["/home/a/.config/belfry/applications/x.conf": text]))
        }

        #expect(read("").settings?.listener.socket == "/run/user/1/belfry@x/io.belfry.Lifecycle")
        #expect(read("User=b\n").file.diagnostics.first?.message.contains("remove 'User'") == true)
    }

    @Test func whatTheUserOfBelfrydMayWriteIsNotRead() {
        let files = MemoryFiles(["/run/belfry/applications/x.conf": "[Application]\nUnit=a.service\n[On]\nStop=s\n"])

        #expect(ApplicationFile.names(in: .system(), reader: files) { _ in } == [])
        #expect(ApplicationFile("x", in: .system(), reader: files).settings == nil)
    }

    @Test func allAreFound() {
        let files = MemoryFiles([
            "\(Self.folder)/b.conf": "", "/usr/lib/belfry/applications/a.conf": "",
            "\(Self.folder)/c.listener": "",
        ])

        #expect(ApplicationFile.names(in: .system(), reader: files) { _ in } == ["a", "b"])
    }
}
