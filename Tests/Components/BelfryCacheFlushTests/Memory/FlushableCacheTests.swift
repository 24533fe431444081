// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import Lifecycle
import LifecycleTesting
import Testing

struct FlushableCacheTests {
    /// Records how it is flushed.
    private final class RecordingCache: FlushableCache {
        var levels: [MemoryWarning.Level] = []

        func flush(_ level: MemoryWarning.Level) { levels.append(level) }
    }

    @Test func mediatorFlushesACacheThatItDoesNotKeep() {
        let mediator = LifecycleMediator(clock: ManualClock(), configuration: LifecycleConfiguration())
        var cache: RecordingCache? = RecordingCache()
        weak let released = cache
        let observation = cache.map { mediator.addCache($0) }

        mediator.post(MemoryWarning(.some))
        mediator.post(MemoryWarning(.full))
        mediator.post(.flushRequested)
        mediator.perform(.launch)
        mediator.perform(.pause)

        #expect(cache?.levels == [.some, .full, .full, .full])
        cache = nil
        #expect(released == nil)
        mediator.post(.flushRequested)
        withExtendedLifetime(observation) {}
    }
}
