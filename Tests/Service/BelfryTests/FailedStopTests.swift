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
    private func live(failing reason: String?, job: String = "stop") throws -> UserInfo {
        try directory.write(
            "root/etc/belfry/applications/shop.conf", "[Application]\nUnit=a.service\n[On]\nStop=true\n")
        let scope = ApplicationScope.system(root: directory.path("root"))
        let mediator = LifecycleMediator(clock: ManualClock())
        let failedStop = FailedStop(
            of: try #require(ApplicationFile("shop", in: scope).settings), in: directory.url.path, mediator: mediator,
            log: ServiceLog { [writer] _ in writer })
        let before = failedStop.userInfo
        let behavior = reason.map { RecordingListener.Behavior.throwing(LifecycleRefusal($0)) } ?? .atOnce
        try mediator.addListener(RecordingListener("shop", [.willTerminate], behavior: behavior))
        mediator.perform(.launch)
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

    @Test func aFileThatCannotBeReadIsReported() throws {
        try FileManager.default.createDirectory(
            atPath: directory.path("stop-failed"), withIntermediateDirectories: false)

        #expect(try live(failing: nil, job: "none") == [:])
        #expect(writer.records.count == 1)
    }
}
