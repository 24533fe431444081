// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import Testing

@Suite nonisolated struct CacheLimitsTests {
    @Test func directoriesBelowTheDepthLimitAreNotEntered() throws {
        let fixture = try CacheFixture()
        let deep = String(repeating: "/d", count: 200)
        try fixture.file("cache\(deep)/file", age: 5)
        try fixture.file("cache/d/d/file", age: 5)

        let report = try fixture.flushAll()

        #expect(report.limitsReached == [.depth])
        #expect(report.filesRemoved == 1)
        #expect(fixture.exists("cache\(deep)/file"))
    }

    @Test func everyDepthUpToTheLimitIsEntered() throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/1/2/3/file", age: 5)
        var limits = TreeLimits()
        limits.depth = 3

        let report = try fixture.flushAll(limits: limits)

        #expect(report.limitsReached == [] && report.filesRemoved == 1)
    }

    @Test func entryLimitEndsTheSurveyAndTheReportSaysSo() throws {
        let fixture = try CacheFixture()
        for index in 0..<50 { try fixture.file("cache/\(index)", age: 5) }
        var limits = TreeLimits()
        limits.entries = 20

        let report = try fixture.flushAll(limits: limits)

        #expect(report.limitsReached == [.entries])
        #expect((19...20).contains(report.filesSeen) && report.filesRemoved == report.filesSeen)
    }

    @Test func theOldestAreRememberedAndTheNextFlushGoesOn() throws {
        let fixture = try CacheFixture()
        for age in 1...50 as ClosedRange<Int64> { try fixture.file("cache/\(age % 3)/\(age)", age: age) }
        var limits = TreeLimits()
        limits.candidates = 8
        let oldest = (43...50).map { "cache/\($0 % 3)/\($0)" }

        var first = try CacheSweep(fixture.cache(filesMax: 40), limits: limits)
        try first.run(now: CacheFixture.now)

        #expect(first.report.limitsReached == [.candidates])
        #expect(first.report.filesSeen == 50 && first.report.filesRemoved == 8)
        #expect(oldest.allSatisfy { !fixture.exists($0) })

        var second = try CacheSweep(fixture.cache(filesMax: 40), limits: limits)
        try second.run(now: CacheFixture.now)

        #expect(second.report.limitsReached == [] && second.report.filesRemoved == 2)
        #expect(fixture.exists("cache/1/40") && !fixture.exists("cache/2/41"))
    }

    @Test func cancelledFlushDoesNothingAndSaysSo() async throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/old", age: 50)
        let cache = fixture.cache(filesMax: 0, writeBack: true, dropPages: true)

        let report = try await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try cache.flush(now: CacheFixture.now)
        }.value

        var expected = CacheFlushReport(name: "test")
        expected.cutShort = true
        #expect(report == expected)
        #expect(fixture.exists("cache/old"))
    }

    @Test func cancellationStopsBeforeTheNextDeletion() async throws {
        let fixture = try CacheFixture()
        for age in 1...5 as ClosedRange<Int64> { try fixture.file("cache/\(age)", age: age) }

        let cache = fixture.cache(filesMax: 0, dropPages: true)
        let report = try await Task {
            var sweep = try CacheSweep(cache)
            try sweep.survey()
            withUnsafeCurrentTask { $0?.cancel() }
            try sweep.trim(now: CacheFixture.now)
            try sweep.dropPages()
            return sweep.report
        }.value

        #expect(report.cutShort)
        #expect(report.filesSeen == 5 && report.filesRemoved == 0 && report.filesAdvised == 0)
        #expect(fixture.exists("cache/5"))
    }
}
