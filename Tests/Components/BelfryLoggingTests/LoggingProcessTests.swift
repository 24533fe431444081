// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// A service that logs with swift-log, as a process.
@Suite(.timeLimit(.minutes(2)))
struct LoggingProcessTests {
    let fixture = DaemonFixture()

    private func run(_ configuration: String) throws -> [String] {
        let service = try fixture.start("LoggingProbe", [], configuration)
        var lines: [String] = []
        while let line = service.wholeLine(), !line.contains("didBecomeActive") { lines.append(line) }
        #expect(sigqueue(service.pid, __libc_current_sigrtmin() + 18, sigval(sival_int: 0x107)) == 0)
        while let line = service.wholeLine() {
            lines.append(line)
            if line.contains("log level is now debug") { service.send(SIGUSR1) }
            if line.contains("another thread") { service.send(SIGTERM) }
        }
        #expect(service.finish().status == 0)
        return lines
    }

    @Test func recordsOfLoggersAreLinesLikeTheServicesOwn() throws {
        let lines = try run("[Logger]\nTarget=stderr\n")

        let heads = lines.compactMap {
            $0.wholeMatch(of: /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) ([a-z]+ .*)/)?.output
        }
        #expect(heads.count == lines.count)
        let texts = heads.map { String($0.2) }
        #expect(texts.first == "info LoggingProbe: before logger=probe.main request-id=7")
        #expect(
            texts.contains(
                #"notice probe: assembled logger=probe.main colours="[\"red\",\"blue\"]" detail="two words""#))
        #expect(texts.contains("debug probe: flushing on the main thread logger=probe.main"))
        #expect(texts.contains("info probe: flushing on another thread logger=probe.main"))
        #expect(texts.contains { $0.hasPrefix("info probe: willTerminate ") })
        #expect(texts.last == "warning probe: after logger=probe.exit")
        #expect(heads.map(\.1) == heads.map(\.1).sorted())
    }

    @Test(arguments: ["[Logger]\nTarget=stderr\nFormat=json\nLevl=x\n", "[Logger]\nFormat=json\n[Probe]\nNo=1\n"])
    func errorsThatPreventTheStartAreJSON(configuration: String) throws {
        let end = try fixture.start("LoggingProbe", [], configuration).finish()

        // What the program itself logs before that is not.
        let lines = end.lines.filter { !$0.hasPrefix("LoggingProbe: ") }
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") }, "\(end.lines)")
        #expect(end.status == 78)
    }

    @Test func everyLineFromTheConfigurationOnIsJSON() throws {
        let lines = try run("[Logger]\nTarget=stderr\nFormat=json\n[Cache none]\nPath=/nowhere\n")

        let objects = try lines.dropFirst().map {
            try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(objects.allSatisfy { ($0["SYSLOG_TIMESTAMP"] as? String)?.hasSuffix("Z") == true })
        #expect(objects.allSatisfy { $0["SYSLOG_IDENTIFIER"] as? String == "probe" })
        let assembled = objects.first { $0["MESSAGE"] as? String == "assembled" }
        #expect(assembled?["COLOURS"] as? String == #"["red","blue"]"# && assembled?["PRIORITY"] as? String == "5")
        #expect(objects.contains { $0["BELFRY_NOTIFICATION"] as? String == "willTerminate" })
        #expect(objects.contains { $0["BELFRY_TIMELINE"] != nil })
        #expect((objects.first?["MESSAGE"] as? String)?.hasPrefix("this service flushes no caches") == true)
        #expect(objects.last?["MESSAGE"] as? String == "after")
    }
}
