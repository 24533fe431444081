// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import Lifecycle
import LifecycleTesting
import TestSupport
import Testing

struct LRUCacheTests {
    @Test func leastRecentlyUsedEntryIsRemovedFirst() {
        let cache = LRUCache<String, Int>(limit: 2)
        cache["a"] = 1
        cache["b"] = 2

        #expect(cache["a"] == 1)
        cache["c"] = 3

        #expect(cache["a"] == 1 && cache["b"] == nil && cache["c"] == 3)
        #expect(cache.count == 2 && cache.cost == 2)
    }

    @Test func entriesAreWeighedByTheirCost() {
        let cache = LRUCache<Int, String>(limit: 10)
        cache.insert("small", for: 1, cost: 4)
        cache.insert("large", for: 2, cost: 6)

        cache.insert("more", for: 3, cost: 5)
        #expect(cache.count == 1 && cache[3] == "more")
        cache.insert("too much", for: 3, cost: 11)
        #expect(cache.count == 0 && cache.cost == 0)
    }

    @Test func someGivesTheOlderHalfBackAndFullEverything() {
        let cache = LRUCache<Int, Int>(limit: 100)
        for number in 0..<10 { cache[number] = number }
        _ = cache[0]

        cache.flush(.some)
        #expect((0..<10).filter { cache[$0] != nil } == [0, 6, 7, 8, 9])
        cache.insert(0, for: 77, cost: 0)
        cache.flush(.full)
        #expect(cache.count == 0 && cache.cost == 0)
        cache[1] = 1
        #expect(cache[1] == 1)
    }

    @Test func flushedValuesAreReleased() {
        final class Page {}
        let cache = LRUCache<Int, Page>(limit: 1)
        weak var page: Page?
        do {
            let new = Page()
            page = new
            cache[1] = new
        }
        #expect(page != nil)

        cache.flush(.full)

        #expect(page == nil)
    }

    @Test func randomUseMatchesAPlainList() {
        var random = SeededRandom(seed: 11)
        let cache = LRUCache<Int, Int>(limit: 20)
        var list: [(key: Int, value: Int, cost: Int)] = []  // the newest last
        func total() -> Int { list.reduce(0) { $0 + $1.cost } }

        for step in 0..<20_000 {
            let key = Int.random(in: 0..<30, using: &random)
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<50:
                let cost = Int.random(in: 0...21, using: &random)
                cache.insert(step, for: key, cost: cost)
                list.removeAll { $0.key == key }
                if cost <= 20 {
                    while total() + cost > 20 { list.removeFirst() }
                    list.append((key, step, cost))
                }
            case 50..<90:
                let found = list.firstIndex { $0.key == key }
                #expect(cache[key] == found.map { list[$0].value })
                if let found { list.append(list.remove(at: found)) }
            case 90..<98:
                cache[key] = nil
                list.removeAll { $0.key == key }
            default:
                let half = total() / 2
                cache.flush(.some)
                while total() > half { list.removeFirst() }
            }
            #expect(cache.count == list.count && cache.cost == total())
        }
    }

    @Test func mediatorFlushesACacheThatItDoesNotKeep() {
        let mediator = LifecycleMediator(clock: ManualClock())
        var cache: LRUCache<Int, Int>? = LRUCache(limit: 10)
        weak let released = cache
        let observation = mediator.addCache(cache!)
        func fill() { for number in 0..<4 { cache?[number] = number } }

        fill()
        mediator.post(MemoryWarning(.some))
        #expect(cache?.count == 2)
        mediator.post(MemoryWarning(.full))
        #expect(cache?.count == 0)
        fill()
        mediator.post(.flushRequested)
        #expect(cache?.count == 0)
        mediator.perform(.launch)
        fill()
        mediator.perform(.pause)
        #expect(cache?.count == 0)
        cache = nil
        #expect(released == nil)
        mediator.post(.flushRequested)
        withExtendedLifetime(observation) {}
    }
}
