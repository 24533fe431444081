// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// The start of a service with existing or damaged files, and with few descriptors.
@Suite(.timeLimit(.minutes(2)))
struct StartTests {
    let fixture = DaemonFixture()

    private var sequence: String { fixture.directory.path("run/sequence") }

    /// Starts and stops a service, and returns its log.
    private func start(_ program: String = "belfryd", _ arguments: [String]? = nil) throws -> [String] {
        let service = try fixture.startReady(program, arguments)
        let (lines, status) = service.stop()
        #expect(status == 0)
        return lines
    }

    /// Writes the number of the last notification into the counter.
    private func count(to number: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: sequence))
        try file.seek(toOffset: 16)
        try file.write(contentsOf: withUnsafeBytes(of: number.littleEndian) { Data($0) })
        try file.close()
    }

    private func counted() throws -> UInt64 {
        let data = try Data(contentsOf: URL(fileURLWithPath: sequence))
        return data[16..<24].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    @Test(arguments: [UInt64.max, 0x8000_0000_0000_0000, 0x7fff_ffff_ffff_ffff, 0x4000_0000_0000_0001])
    func counterOutOfRangeIsRenamed(number: UInt64) throws {
        _ = try start()
        try count(to: number)

        let lines = try start()

        #expect(lines.contains { $0.contains("\(number) is no number of a notification") })
        #expect(FileManager.default.fileExists(atPath: sequence + ".refused"))
        #expect(try (1..<100).contains(counted()))
    }

    @Test func theIdOfTheCountIsThatOfTheNumbers() throws {
        func id() throws -> String {
            let service = try fixture.startReady()
            let state = try fixture.control("status", "--json").lines.joined()
            #expect(service.stop().status == 0)
            return try #require(state.firstMatch(of: /"sequenceId":"([0-9a-f]{32})"/).map { String($0.1) })
        }

        let first = try id()
        #expect(try id() == first)
        unlink(sequence)
        #expect(try id() != first)
    }

    @Test func counterContinuesUpToItsLimit() throws {
        _ = try start()
        try count(to: 1 << 62)

        _ = try start()

        #expect(try counted() > 1 << 62)
    }

    @Test(arguments: ["fifo", "directory", "link"])
    func counterThatIsNoRegularFileIsIgnored(kind: String) throws {
        mkdir(fixture.directory.path("run"), 0o700)
        switch kind {
        case "fifo": mkfifo(sequence, 0o600)
        case "directory": mkdir(sequence, 0o700)
        default: symlink(fixture.directory.path("target"), sequence)
        }

        let lines = try start()

        let suffix = "keeping nothing and counting notifications from 1"
        #expect(lines.contains { $0.contains("'\(sequence)': ") && $0.hasSuffix(suffix) })
        for name in ["target", "last-word"] {
            #expect(!FileManager.default.fileExists(atPath: fixture.directory.path(name)))
        }
    }

    @Test func counterOfAnotherServiceIsNotChanged() throws {
        _ = try start("ServiceProbe", ["plain"])
        let before = try counted()

        let lines = try start()

        let warning = "it belongs to the service 'probe', set RuntimeDirectory=, keeping nothing and"
        #expect(lines.contains { $0.contains(warning) })
        #expect(try counted() == before)
    }

    @Test func reloadErrorOfComposeIsReported() throws {
        let (lines, status) = try fixture.start("ServiceProbe", ["compose"]).finish()

        #expect(status == 71)
        let text = lines.joined(separator: "\n")
        #expect(text.contains("no camera") && text.contains("no disk"))
    }

    @Test func socketOfTheVariableThatIsTakenSaysSo() throws {
        let taken = try fixture.directory.write("taken", "")

        let (lines, status) = try fixture.start(environment: ["BELFRY_SOCKET": taken]).finish()

        let hint = "the path is that of $BELFRY_SOCKET, unset it to listen in the runtime directory"
        #expect(status == 71)
        #expect(
            lines.last?.hasSuffix(
                "launch refused: socket: unable to listen on '\(taken)': Address already in use (EADDRINUSE), \(hint)")
                == true)
    }

    /// That of the watchdog: Swift's runtime would write a backtrace first, which takes seconds.
    @Test func abortSignalEndsTheProcessWithoutABacktrace() throws {
        let service = try fixture.start(environment: ["SWIFT_BACKTRACE": "enable=yes,color=no"])
        _ = service.lines(until: "didBecomeActive")

        service.send(SIGABRT)
        let (lines, status) = service.finish()

        #expect(status == 128 + SIGABRT)
        #expect(!lines.contains { $0.contains("crash") }, "\(lines)")
    }

    @Test(arguments: 4...40)
    func lowDescriptorLimitRefusesTheLaunchOrHasNoEffect(limit: Int) throws {
        let service = Process()
        let output = Pipe()
        service.executableURL = URL(fileURLWithPath: "/bin/sh")
        service.arguments = [
            "-c", "ulimit -n \(limit) && exec \(try ProbeProcess.path(of: "belfryd")) --config /dev/null",
        ]
        service.environment = ["RUNTIME_DIRECTORY": fixture.directory.path("run"), "SWIFT_BACKTRACE": "enable=no"]
        service.standardError = output
        try service.run()
        var text = ""
        while case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            text += String(decoding: data, as: UTF8.self)
            if text.contains("didBecomeActive") { service.terminate() }
        }
        service.waitUntilExit()

        let isRefused = [71, 78].contains(service.terminationStatus) && text.contains("(EMFILE)")
        #expect(service.terminationReason == .exit && (service.terminationStatus == 0 || isRefused), "\(text)")
    }

    @Test func closedStandardStreamsAreNobodyElses() throws {
        let file = try fixture.directory.write("belfry.conf", "")
        func start(_ program: String, _ arguments: String) throws -> Process {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/bin/sh")
            process.arguments = ["-c", "exec \(try ProbeProcess.path(of: program)) \(arguments) <&- >&- 2>&-"]
            process.environment = ProcessInfo.processInfo.environment.merging([
                "RUNTIME_DIRECTORY": fixture.directory.path("run"), "NOTIFY_SOCKET": fixture.manager.path,
                "SWIFT_BACKTRACE": "enable=no",
            ]) { $1 }
            try process.run()
            return process
        }
        func streams(of process: Process) -> [String?] {
            (0...2).map {
                try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/\(process.processIdentifier)/fd/\($0)")
            }
        }
        let service = try start("belfryd", "--config \(file)")
        #expect(fixture.manager.wait(for: "READY=1"))
        let socket = "--socket \(fixture.directory.path("run/io.belfry.Lifecycle"))"
        let client = try start("belfryctl", "\(socket) watch")
        while try !fixture.control("status", "--json").lines.contains(where: { $0.contains(#""subscribers":1"#) }) {}
        let listener = try start("belfry-listener", "guard --on com.example.x \(socket) -- true")
        while try !fixture.control("listeners").lines.contains(where: { $0.contains("guard") }) {}

        let null = Array(repeating: "/dev/null" as String?, count: 3)
        #expect(streams(of: service) == null)
        #expect(streams(of: client) == null)
        #expect(streams(of: listener) == null)
        let version = try start("belfryd", "--version")
        version.waitUntilExit()
        #expect(version.terminationStatus == 0)

        // Foundation starts programs with SIGTERM blocked, which the service reads and belfryctl does not.
        kill(client.processIdentifier, SIGKILL)
        kill(listener.processIdentifier, SIGKILL)
        service.terminate()
        for process in [client, listener, service] { process.waitUntilExit() }
        #expect(service.terminationStatus == 0)
    }

    /// Who has not the lock writes nothing, also where no other process has it.
    @Test(.enabled(if: geteuid() == 0, "chown needs root"), arguments: ["", "[Signals]\nUSR3=stop\n"])
    func counterOfAnotherUserKeepsNothing(_ configuration: String) throws {
        _ = try start()
        let record = fixture.directory.path("last-word")
        let before = try String(contentsOfFile: record, encoding: .utf8)
        try #require(chown(sequence, 65534, 65534) == 0)

        let service = try fixture.start("belfryd", nil, configuration)
        service.lines(until: configuration.isEmpty ? "didBecomeActive" : "(EPERM)")
        if configuration.isEmpty {
            service.send(SIGTSTP)
            let words = service.lines(until: "the pause ends with this process")
            #expect(words.last?.contains("no lock") == true)
            service.send(SIGTERM)
        }

        #expect(service.finish().status == (configuration.isEmpty ? 0 : 78))
        #expect(try String(contentsOfFile: record, encoding: .utf8) == before)
        #expect(!FileManager.default.fileExists(atPath: fixture.directory.path("run/paused")))
    }

    /// A start that fails before the configuration is known leaves its reason only where it has the lock.
    @Test func refusedConfigurationIsRecordedUnderTheLock() throws {
        let (_, status) = try fixture.start("belfryd", nil, "[Signals]\nUSR3=stop\n").finish()

        #expect(status == 78)
        #expect(FileManager.default.fileExists(atPath: sequence))
        #expect(try String(contentsOfFile: fixture.directory.path("last-word"), encoding: .utf8).contains("problem"))
    }

    /// Neither its exit record nor its pause becomes another's, and no listener is called. The second may be one of
    /// root beside the user of the service. `store` has no socket.
    @Test(
        arguments: [("plain", ""), ("store", ""), ("plain", "[Signals]\nUSR3=stop\n")],
        geteuid() == 0 ? [geteuid(), 65534] : [geteuid()])
    func secondStartOfAServiceIsRefused(_ second: (String, String), owner: uid_t) throws {
        let (manner, configuration) = second
        let first = try fixture.startReady("ServiceProbe", [manner])
        try #require(chown(sequence, owner, gid_t.max) == 0)
        first.send(SIGTSTP)
        first.lines(until: "didEnterBackground")
        let (record, paused) = (fixture.directory.path("last-word"), fixture.directory.path("run/paused"))
        func texts() throws -> [String] {
            try [record, paused].map { try String(contentsOfFile: $0, encoding: .utf8) }
        }
        while try !String(contentsOfFile: record, encoding: .utf8).contains(#""kind":"paused""#) { sched_yield() }
        let before = try texts()

        let (lines, ended) = try fixture.start("ServiceProbe", [manner], configuration, hasManager: false).finish()

        #expect(ended == (configuration.isEmpty ? 71 : 78))
        #expect(!lines.contains { $0.contains("willFinishLaunching") })
        if configuration.isEmpty {
            let file = fixture.directory.path("run/sequence")
            let problem = "unable to run 'probe': it runs already, another process has locked '\(file)'"
            #expect(lines.last?.hasSuffix(problem) == true)
        }
        #expect(try texts() == before)
        #expect(first.stop().status == 0)
    }
}
