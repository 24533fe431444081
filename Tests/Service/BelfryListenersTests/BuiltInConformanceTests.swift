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
            LoggerListener(mediator: mediator, log: ServiceLog { _ in writer })
        }

        #expect(failures == [])
        #expect(!writer.records.isEmpty)
    }

    @Test func serviceManagerConforms() async throws {
        let loop = try MainEventLoop()

        let failures = try await ListenerConformance().check { mediator, _ in
            ServiceManagerListener(
                loop: loop, mediator: mediator, manager: ServiceManagerSocket(),
                log: ServiceLog { _ in RecordingWriter() })
        }

        #expect(failures == [])
    }
}
