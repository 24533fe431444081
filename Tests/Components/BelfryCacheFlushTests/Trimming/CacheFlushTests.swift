// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryCacheFlush
import BelfryConfiguration
import Foundation
import Glibc
import Testing

@Suite nonisolated struct CacheFlushTests {
    let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test func sizeLimitDeletesTheOldestFilesOfTheTree() throws {
        try fixture.file("cache/a/old", size: 100, age: 30)
        try fixture.file("cache/b/c/older", size: 100, age: 40)
        try fixture.file("cache/new", size: 100, age: 10)
        let (space, freed) = (fixture.space("cache/new"), fixture.space("cache/a/old", "cache/b/c/older"))

        let report = fixture.cache(sizeMax: space).flush(now: CacheFixture.now)

        #expect(fixture.existing("cache/a/old", "cache/b/c/older", "cache/new") == ["cache/new"])
        var expected = CacheFlushReport(name: "test")
        expected.directories = 1
        expected.filesSeen = 3
        expected.filesRemoved = 2
        expected.bytesFreed = freed
        #expect(report == expected)
    }

    @Test func dryRunReportsAndDeletesNothing() throws {
        try fixture.file("cache/a/old", size: 100, age: 30)
        try fixture.file("cache/new", size: 100, age: 10)
        let space = fixture.space("cache/a/old")

        let report = fixture.cache(filesMax: 1, writeBack: true, isDryRun: true).flush(now: CacheFixture.now)

        #expect(report.isDryRun && report.filesRemoved == 1 && report.bytesFreed == space)
        #expect(report.examples == [fixture.root + "/a/old"])
        #expect(!report.writtenBack)
        #expect(fixture.exists("cache/a/old"))
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"), arguments: [false, true])
    func spaceIsKeptFree(isOldestOpen: Bool) throws {
        let fixture = try CacheFixture(tag: nil, root: "disk/cache")
        try fixture.mountMemory("disk")
        try fixture.file("disk/cache/CACHEDIR.TAG", CacheTag.signature, age: 0)
        for age in 1...10 as ClosedRange<Int64> { try fixture.file("disk/cache/\(age)", size: 65536, age: age) }
        let keepFree: UInt64 = 512 << 10
        let open = isOldestOpen ? FileHandle(forReadingAtPath: fixture.root + "/10") : nil

        let report = fixture.cache(keepFree: keepFree).flush(now: CacheFixture.now)

        try open?.close()
        var found = statvfs()
        try #require(statvfs(fixture.root, &found) == 0)
        let available = UInt64(found.f_bavail) * UInt64(found.f_frsize)
        #expect(available >= keepFree && available < keepFree + 65536)
        let last = isOldestOpen ? 7 : 8
        #expect(report.filesRemoved == 3 && fixture.exists("disk/cache/10") == isOldestOpen)
        #expect(fixture.exists("disk/cache/\(last - 1)") && !fixture.exists("disk/cache/\(last)"))
    }

    @Test func emptyDirectoriesAreKept() throws {
        try fixture.file("cache/a/b/file", age: 5)

        let report = try fixture.flushAll()

        #expect(report.filesRemoved == 1)
        #expect(fixture.existing("cache/a/b", "cache/a/b/file") == ["cache/a/b"])
    }

    @Test func withoutLimitsFilesAreCountedAndNoTagIsNeeded() throws {
        let fixture = try CacheFixture(tag: nil)
        try fixture.file("cache/a/file", size: 7, age: 5)

        let report = fixture.cache().flush(now: CacheFixture.now)

        #expect(report.filesSeen == 1 && report.filesRemoved == 0)
        #expect(fixture.exists("cache/a/file"))
    }

    @Test func remainingFilesAreWrittenBack() throws {
        let page = sysconf(Int32(_SC_PAGESIZE))
        try fixture.file("cache/gone", size: 1, age: 50)
        try fixture.file("cache/one", size: page, age: 5)
        try fixture.file("cache/a/two", size: page + 1, age: 4)

        let report = fixture.cache(filesMax: 2, writeBack: true).flush(now: CacheFixture.now)

        #expect(report.writtenBack)
        #expect(report.problems == [])
    }

    @Test func nestedDirectoryOfAnotherOwnerIsTrimmed() throws {
        try fixture.file("cache/theirs/file", age: 5)
        try #require(chown(fixture.root + "/theirs", getuid() == 0 ? 65534 : getuid(), gid_t.max) == 0)

        #expect(try fixture.flushAll().filesRemoved == 1)
    }

    @Test func bytesOfAFileWithAnotherNameAreNotFreed() throws {
        try fixture.file("outside", size: 100, age: 9)
        try #require(link(fixture.base + "/outside", fixture.root + "/shared") == 0)
        try fixture.file("cache/twice", size: 10, age: 8)
        try #require(link(fixture.root + "/twice", fixture.root + "/again") == 0)
        let space = fixture.space("cache/twice")

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 3)
        #expect(report.filesRemoved == 3 && report.bytesFreed == space)
        #expect(fixture.exists("outside"))
    }

    @Test func dryRunReportsTheBytesThatADeletionFrees() throws {
        try fixture.file("outside", size: 100, age: 9)
        try #require(link(fixture.base + "/outside", fixture.root + "/shared") == 0)
        try fixture.file("cache/twice", size: 5000, age: 8)
        try #require(link(fixture.root + "/twice", fixture.root + "/again") == 0)
        try fixture.file("cache/other/thrice", size: 9000, age: 8)
        for name in ["other/a", "b"] {
            try #require(link(fixture.root + "/other/thrice", fixture.root + "/" + name) == 0)
        }

        let dry = fixture.cache(filesMax: 0, isDryRun: true).flush(now: CacheFixture.now)
        let real = fixture.cache(filesMax: 0).flush(now: CacheFixture.now)

        #expect(dry.filesRemoved == 6 && dry.bytesFreed > 0)
        #expect((dry.filesRemoved, dry.bytesFreed) == (real.filesRemoved, real.bytesFreed))
    }

    @Test func namesNeedNotBeText() throws {
        let path = Array(fixture.root.utf8CString.dropLast()) + [0x2F, -1, 0x0A, 0]
        let descriptor = open(path, O_WRONLY | O_CREAT, 0o644)
        try #require(descriptor >= 0)
        close(descriptor)

        let report = try fixture.flushAll()

        #expect(report.filesRemoved == 1)
        #expect(access(path, F_OK) == -1)
    }

    @Test func flushLeavesNoDescriptorOpen() throws {
        for index in 0..<20 { try fixture.file("cache/\(index % 5)/a/\(index)", age: 5) }

        _ = fixture.cache(filesMax: 10, writeBack: true).flush(now: CacheFixture.now)

        #expect(try fixture.openDescriptors() == [])
    }

    @Test(arguments: ["relative/path", "", "/", "//.", "/tmp/../etc", "/tmp/a\0b"])
    func unusablePathIsRefused(path: String) {
        #expect(CacheSettings.named("x", [path]).flush(now: .zero).problems == ["\(CacheError.path(path))"])
    }

    @Test func missingDirectoryIsNamedWithTheReason() throws {

        let report = fixture.cache("none", "cache").flush(now: .zero)

        #expect(report.problems == ["unable to open '\(fixture.base)/none': No such file or directory (ENOENT)"])
        #expect(report.directories == 1)
    }
}

@Suite nonisolated struct CacheLimitsTests {
    let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test func directoriesBelowTheDepthLimitAreNotEntered() throws {
        let deep = String(repeating: "/d", count: 200)
        try fixture.file("cache\(deep)/file", age: 5)
        try fixture.file("cache/d/d/file", age: 5)

        let report = try fixture.flushAll()

        #expect(report.limitsReached == [.depth])
        #expect(report.filesRemoved == 1)
        #expect(fixture.exists("cache\(deep)/file"))
    }

    @Test func everyDepthUpToTheLimitIsEntered() throws {
        try fixture.file("cache/1/2/3/file", age: 5)
        var limits = TreeLimits()
        limits.depth = 3

        let report = try fixture.flushAll(limits: limits)

        #expect(report.limitsReached == [] && report.filesRemoved == 1)
    }

    @Test func entryLimitEndsTheSurveyAndIsReported() throws {
        for index in 0..<50 { try fixture.file("cache/\(index)", age: 5) }
        var limits = TreeLimits()
        limits.entries = 20

        let report = try fixture.flushAll(limits: limits)

        #expect(report.limitsReached == [.entries])
        #expect((19...20).contains(report.filesSeen) && report.filesRemoved == report.filesSeen)
    }

    @Test func nextFlushContinuesAfterTheCandidateLimit() throws {
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

    @Test func cancelledFlushDeletesNothingAndIsReported() throws {
        try fixture.file("cache/old", age: 50)
        let cache = fixture.cache(filesMax: 0, writeBack: true)

        let monitor = FlushMonitor()
        monitor.cancel()

        let report = cache.flush(now: CacheFixture.now, monitor: monitor)

        var expected = CacheFlushReport(name: "test")
        expected.directories = 1
        expected.cutShort = true
        #expect(report == expected)
        #expect(fixture.exists("cache/old"))
    }

    @Test func cancellationStopsBeforeTheNextDeletion() throws {
        for age in 1...5 as ClosedRange<Int64> { try fixture.file("cache/\(age)", age: age) }

        let monitor = FlushMonitor()
        var sweep = try CacheSweep(fixture.cache(filesMax: 0), monitor: monitor)

        try sweep.survey()
        monitor.cancel()
        try sweep.trim(now: CacheFixture.now)

        let report = sweep.report
        #expect(report.cutShort)
        #expect(report.filesSeen == 5 && report.filesRemoved == 0)
        #expect(fixture.exists("cache/5"))
    }
}
