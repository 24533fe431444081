// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import Foundation
import Lifecycle
import BelfryListeners
import LifecycleTesting
import BelfrySystemd
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BuiltInConformanceTests {
    @Test func loggerConforms() async throws {
        let writer = RecordingWriter()
        var conformance = ListenerConformance()
        conformance.configuration[LoggerSettings.self] = LoggerSettings()

        let failures = try await conformance.check { mediator, _ in
            let logger = LoggerListener(mediator: mediator, log: ServiceLog { _ in writer })
            logger.begin()
            return logger
        }

        #expect(failures == [])
        #expect(!writer.records.isEmpty)
    }

    @Test func serviceManagerConforms() async throws {
        let loop = try MainEventLoop()

        let directory = try TemporaryDirectory()
        let writer = RecordingWriter()

        let failures = try await ListenerConformance().check { mediator, _ in
            try ServiceManagerListener(
                loop: loop, mediator: mediator, manager: ServiceManagerSocket(),
                pause: PauseMarker(
                    mediator: mediator,
                    run: ServiceRun(bootID: "b", invocationID: nil, pid: 4, startRealtime: .microseconds(9)), of: "s",
                    in: directory.url.path, log: ServiceLog { _ in writer }), log: ServiceLog { _ in writer })
        }

        #expect(failures == [])
    }
}
