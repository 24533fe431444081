// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CertificationTests {
    @Test func clientAndServerCertifyEachOtherOnOneThread() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("socket")
        let server = try ProbeProcess("VarlinkProbe", ["serve", path])
        #expect(server.line() == "listening")

        let (lines, status) = try ProbeProcess("VarlinkProbe", ["certify", path]).finish()
        kill(server.pid, SIGTERM)
        let (problems, end) = server.finish()

        #expect(lines.suffix(2) == [#"End: {"all_ok":true}"#, "threads 1"])
        #expect(status == 0)
        #expect(problems.isEmpty && end == 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
