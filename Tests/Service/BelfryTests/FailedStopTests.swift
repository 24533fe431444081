// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import BelfryListeners
import Foundation
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

@testable import Belfry

struct FailedStopTests {
    let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    let writer = RecordingWriter()

    /// One process of the instance after the other: each is launched and stopped, and `Stop=` fails for this reason.
    private func live(failing reason: String?, job: String = "stop", isMissed: Bool = false) throws -> UserInfo {
        mkdir(directory.path("copy"), 0o700)
        try directory.write(
            "root/etc/belfry/applications/shop.conf", "[Application]\nUnit=a.service\n[On]\nStop=true\n")
        let scope = ApplicationScope.system(root: directory.path("root"))
        let mediator = LifecycleMediator(clock: ManualClock())
        let failedStop = FailedStop(
            of: try #require(ApplicationFile("shop", in: scope).settings),
            in: [directory.url.path, directory.path("copy")], mediator: mediator,
            log: ServiceLog { [writer] _ in writer })
        let before = failedStop.userInfo
        let behavior = reason.map { RecordingListener.Behavior.throwing(LifecycleRefusal($0)) } ?? .atOnce
        try mediator.addListener(RecordingListener("shop", [.willTerminate], behavior: behavior))
        mediator.perform(.launch)
        mediator.post(ApplicationVerb.unitDidStart, userInfo: isMissed ? ["stopMissed": true] : [:])
        mediator.perform(.stop, userInfo: ["unitJob": .string(job)])
        return before
    }

    @Test func aFailureIsKnownToTheNextProcessesUntilAStopSucceeds() throws {
        #expect(try live(failing: "Stop=: full\ndisk") == [:])
        let failure = try live(failing: nil, job: "none")
        #expect(failure.text("lastStopFailed")?.hasSuffix("Z: shop: Stop=: full\\ndisk") == true, "\(failure)")
        #expect(try live(failing: nil) == failure)
        #expect(try live(failing: nil) == [:])
        #expect(writer.records.isEmpty)
    }

    @Test func theFailureOutlivesTheRuntimeDirectory() throws {
        #expect(try live(failing: "Stop=: full") == [:])
        unlink(directory.path("stop-failed"))

        #expect(try live(failing: nil).text("lastStopFailed")?.hasSuffix("Z: shop: Stop=: full") == true)

        #expect(try live(failing: nil) == [:])
    }

    @Test func aStopThatDidNotRunIsAFailureUnlessOneIsKnown() throws {
        #expect(try live(failing: nil, job: "none", isMissed: true) == [:])
        let missed = try live(failing: "Stop=: full", job: "stop")
        #expect(missed.text("lastStopFailed")?.hasSuffix("Z: Stop= had not run when a.service started again") == true)

        let failure = try live(failing: nil, job: "none", isMissed: true)
        #expect(try live(failing: nil) == failure && failure.text("lastStopFailed")?.hasSuffix("full") == true)
    }

    @Test func aFileThatCannotBeReadIsReported() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("stop-failed"), withIntermediateDirectories: false)

        #expect(try live(failing: nil, job: "none") == [:])
        #expect(writer.records.count == 1)
    }
}
