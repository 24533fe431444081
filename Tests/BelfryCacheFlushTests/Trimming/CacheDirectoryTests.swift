// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import Glibc
import Testing

@Suite nonisolated struct CacheDirectoryTests {
    @Test func sizeLimitDeletesTheOldestFilesOfTheTree() throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/a/old", size: 100, age: 30)
        try fixture.file("cache/b/c/older", size: 100, age: 40)
        try fixture.file("cache/new", size: 100, age: 10)

        let report = try fixture.cache(sizeMax: 150).flush(now: CacheFixture.now)

        #expect(fixture.existing("cache/a/old", "cache/b/c/older", "cache/new") == ["cache/new"])
        var expected = CacheFlushReport(name: "test")
        expected.filesSeen = 3
        expected.filesRemoved = 2
        expected.bytesFreed = 200
        #expect(report == expected)
    }

    @Test func ageLimitDeletesOlderFiles() throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/young", age: 60)
        try fixture.file("cache/old", age: 61)
        try fixture.file("cache/future", age: -1000)

        let report = try fixture.cache(ageMax: .seconds(60)).flush(now: CacheFixture.now)

        #expect(report.filesRemoved == 1)
        #expect(fixture.existing("cache/young", "cache/old", "cache/future") == ["cache/young", "cache/future"])
    }

    @Test func countLimitDeletesTheOldest() throws {
        let fixture = try CacheFixture()
        for age in 1...9 as ClosedRange<Int64> { try fixture.file("cache/\(age)", age: age) }

        let report = try fixture.cache(filesMax: 2).flush(now: CacheFixture.now)

        #expect(report.filesRemoved == 7)
        #expect(fixture.existing("cache/1", "cache/2", "cache/3", "cache/9") == ["cache/1", "cache/2"])
    }

    @Test func emptyDirectoriesAreKept() throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/a/b/file", age: 5)

        let report = try fixture.flushAll()

        #expect(report.filesRemoved == 1)
        #expect(fixture.existing("cache/a/b", "cache/a/b/file") == ["cache/a/b"])
    }

    @Test func rehearsalCountsAndDeletesNothing() throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/a/old", size: 100, age: 30)

        let report = try fixture.cache(filesMax: 0).rehearseFlush()

        var expected = CacheFlushReport(name: "test")
        expected.filesSeen = 1
        #expect(report == expected)
        #expect(fixture.exists("cache/a/old"))
    }

    @Test func rehearsalFailsWhereAFlushWould() throws {
        let fixture = try CacheFixture(tag: nil)

        #expect(throws: CacheError.self) { try fixture.cache(filesMax: 0).rehearseFlush() }
        #expect(try fixture.cache().rehearseFlush().filesSeen == 0)
    }

    @Test func withoutLimitsFilesAreCountedAndNoTagIsNeeded() throws {
        let fixture = try CacheFixture(tag: nil)
        try fixture.file("cache/a/file", size: 7, age: 5)

        let report = try fixture.cache().flush(now: CacheFixture.now)

        #expect(report.filesSeen == 1 && report.filesRemoved == 0)
        #expect(fixture.exists("cache/a/file"))
    }

    @Test func remainingFilesAreWrittenBack() throws {
        let fixture = try CacheFixture()
        let page = sysconf(Int32(_SC_PAGESIZE))
        try fixture.file("cache/gone", size: 1, age: 50)
        try fixture.file("cache/one", size: page, age: 5)
        try fixture.file("cache/a/two", size: page + 1, age: 4)

        let report = try fixture.cache(filesMax: 2, writeBack: true, dropPages: true).flush(now: CacheFixture.now)

        #expect(report.writtenBack)
        #expect(report.filesAdvised == 2)
        #expect(report.problems == [])
    }

    @Test func nestedDirectoryOfAnotherOwnerIsTrimmed() throws {
        let fixture = try CacheFixture()
        try fixture.file("cache/theirs/file", age: 5)
        try #require(chown(fixture.root + "/theirs", getuid() == 0 ? 65534 : getuid(), gid_t.max) == 0)

        #expect(try fixture.flushAll().filesRemoved == 1)
    }

    @Test func bytesOfAFileWithAnotherNameAreNotFreed() throws {
        let fixture = try CacheFixture()
        try fixture.file("outside", size: 100, age: 9)
        try #require(link(fixture.base + "/outside", fixture.root + "/shared") == 0)
        try fixture.file("cache/twice", size: 10, age: 8)
        try #require(link(fixture.root + "/twice", fixture.root + "/again") == 0)

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 3)
        #expect(report.filesRemoved == 3 && report.bytesFreed == 10)
        #expect(fixture.exists("outside"))
    }

    @Test func namesNeedNotBeText() throws {
        let fixture = try CacheFixture()
        let path = Array(fixture.root.utf8CString.dropLast()) + [0x2F, -1, 0x0A, 0]
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
        try #require(descriptor >= 0)
        close(descriptor)

        let report = try fixture.flushAll()

        #expect(report.filesRemoved == 1)
        #expect(access(path, F_OK) == -1)
    }

    @Test func flushLeavesNoDescriptorOpen() throws {
        let fixture = try CacheFixture()
        for index in 0..<20 { try fixture.file("cache/\(index % 5)/a/\(index)", age: 5) }

        _ = try fixture.cache(filesMax: 10, writeBack: true, dropPages: true).flush(now: CacheFixture.now)

        #expect(try fixture.openDescriptors() == [])
    }

    @Test(arguments: ["relative/path", "", "/", "//.", "/tmp/../etc", "/tmp/a\0b"])
    func unusablePathIsRefused(path: String) {
        #expect(throws: CacheError.path(path)) {
            try CacheDirectory(name: "x", path: path).flush(now: .zero)
        }
    }

    @Test func missingDirectoryIsNamedWithTheReason() throws {
        let fixture = try CacheFixture()
        let cache = CacheDirectory(name: "x", path: fixture.base + "/none")

        let error = #expect(throws: CacheError.self) { try cache.flush(now: .zero) }

        #expect(
            error?.description == "unable to open '\(fixture.base)/none': No such file or directory (ENOENT)")
    }
}

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

    @Test func entryLimitEndsTheSurveyAndIsReported() throws {
        let fixture = try CacheFixture()
        for index in 0..<50 { try fixture.file("cache/\(index)", age: 5) }
        var limits = TreeLimits()
        limits.entries = 20

        let report = try fixture.flushAll(limits: limits)

        #expect(report.limitsReached == [.entries])
        #expect((19...20).contains(report.filesSeen) && report.filesRemoved == report.filesSeen)
    }

    @Test func nextFlushContinuesAfterTheCandidateLimit() throws {
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

    @Test func cancelledFlushDeletesNothingAndIsReported() async throws {
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
