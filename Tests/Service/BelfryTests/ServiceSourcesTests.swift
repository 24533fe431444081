// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

/// Files that are not there when belfryd starts, or that go away.
@Suite(.timeLimit(.minutes(1)))
struct ServiceSourcesTests {
    private let fixture = DaemonFixture()

    @Test func pressureIsWatchedWhenItsFileHasCome() throws {
        let path = fixture.directory.path("pressure")
        let service = try fixture.start(environment: ["MEMORY_PRESSURE_WATCH": path])
        let start = service.lines(until: "didBecomeActive")
        #expect(start.count { $0.contains("unable to find '\(path)'") } == 1)
        try #require(mkfifo(path, 0o600) == 0)

        for _ in 0..<2 {
            service.send(SIGHUP)
            service.lines(until: "didReload")
            // It waits for the reader.
            let writer = open(path, O_WRONLY | O_CLOEXEC)
            write(writer, "x", 1)
            close(writer)
            let lines = service.lines(until: "nothing more is heard of pressure")
            if !lines.contains(where: { $0.contains("didReceiveMemoryWarning") }) {
                #expect(service.lines(until: "didReceiveMemoryWarning").last?.contains("Warning") == true)
            }
        }

        #expect(service.stop().status == 0)
    }

    @Test func lossOfTheDirectoryOfTheTimeZoneIsLogged() throws {
        let folder = fixture.directory.path("zones")
        mkdir(folder, 0o700)
        let service = try fixture.start(environment: ["TZ": ":\(folder)/localtime"])
        service.lines(until: "didBecomeActive")

        try FileManager.default.removeItem(atPath: folder)
        #expect(service.lines(until: "unable to watch '\(folder)'").last?.hasSuffix("doing without it") == true)
        #expect(service.stop().status == 0)
    }
}
