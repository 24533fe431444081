// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import Lifecycle
import LifecycleCacheFlush
import LifecycleListeners
import LifecycleTesting
import ServiceManager
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CacheFlushListenerTests {
    @Test func cacheFlushConforms() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
        let file = try directory.write(
            "belfry.conf", "[Cache thumbnails]\nPath=\(directory.url.path)\nSizeMax=1G\nWriteBack=no\n")
        let writer = RecordingWriter()
        var conformance = ListenerConformance(patience: .seconds(10))
        conformance.configuration[BelfrySettings.self] = ConfigurationLoader.load(from: .files([file])).settings
        #expect(conformance.configuration[BelfrySettings.self]?.caches.count == 1)

        let failures = try await conformance.check { mediator, _ in
            CacheFlushListener(mediator: mediator, log: ServiceLog { _ in writer })
        }

        #expect(failures == [])
        #expect(!writer.records.isEmpty)
    }
}
