// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import Dispatch
import Foundation
import Glibc
import Synchronization
import Testing

@Suite nonisolated struct CacheRaceTests {
    let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    /// Surveys the cache, calls `body`, and then trims all files.
    static func trim(
        _ fixture: CacheFixture, after change: () throws -> Void
    ) throws -> CacheFlushReport {
        var sweep = try CacheSweep(fixture.cache(filesMax: 0))
        try sweep.survey()
        try change()
        try sweep.trim(now: CacheFixture.now)
        return sweep.report
    }

    @Test func fileThatIsReplacedByANewerOneIsKept() throws {
        try fixture.file("cache/a/file", age: 50)
        try fixture.file("new", age: 49)

        let report = try Self.trim(fixture) {
            try #require(rename(fixture.base + "/new", fixture.root + "/a/file") == 0)
        }

        #expect(report.filesRemoved == 0 && report.problems == [])
        #expect(fixture.exists("cache/a/file"))
    }

    @Test func changedFileIsKept() throws {
        try fixture.file("cache/file", age: 50)

        let report = try Self.trim(fixture) { try fixture.file("cache/file", size: 2, age: 0) }

        #expect(report.filesRemoved == 0)
        #expect(fixture.exists("cache/file"))
    }

    @Test func linkOrDirectoryInPlaceOfAFileIsKept() throws {
        try fixture.file("cache/one", age: 50)
        try fixture.file("cache/two", age: 50)

        let report = try Self.trim(fixture) {
            try #require(unlink(fixture.root + "/one") == 0 && unlink(fixture.root + "/two") == 0)
            try fixture.link("cache/one", to: "two")
            try fixture.makeDirectory("cache/two")
        }

        #expect(report.filesRemoved == 0 && report.problems == [])
        #expect(fixture.exists("cache/one") && fixture.exists("cache/two"))
    }

    @Test func missingFileIsNoProblem() throws {
        try fixture.file("cache/one", age: 50)
        try fixture.file("cache/two", age: 50)

        let report = try Self.trim(fixture) { try #require(unlink(fixture.root + "/one") == 0) }

        #expect(report.filesRemoved == 1 && report.bytesFreed > 0 && report.problems == [])
    }

    @Test func linkInPlaceOfADirectoryIsNotFollowed() throws {
        try fixture.file("cache/a/b/file", age: 50)

        // The file moves out of the cache: inode, time and name are unchanged, only the path differs.
        let report = try Self.trim(fixture) {
            try #require(rename(fixture.root + "/a", fixture.base + "/moved") == 0)
            try fixture.link("cache/a", to: "../moved")
        }

        #expect(report.filesRemoved == 0 && report.problems == [])
        #expect(fixture.exists("moved/b/file"))
    }

    @Test func noMoreFilesAreDeletedThanWereSelected() throws {
        try fixture.file("cache/a", age: 50)

        let report = try Self.trim(fixture) { for name in "bcd" { try fixture.file("cache/\(name)", age: 60) } }

        #expect(report.filesRemoved == 1)
        #expect(fixture.existing("cache/a", "cache/b", "cache/c", "cache/d").count == 3)
    }

    @Test(.timeLimit(.minutes(1)))
    func concurrentChangesDoNotBreakAFlush() throws {
        try fixture.file("outside/victim", age: 50)
        let (base, root) = (fixture.base, fixture.root)
        let neighbour = Neighbour(base: base, root: root)
        defer { neighbour.end() }

        var removed = 0
        while neighbour.rounds.load(ordering: .relaxed) < 300 || removed == 0 {
            let report = try fixture.flushAll()
            #expect(report.problems == [] && !report.cutShort)
            removed += report.filesRemoved
        }
        neighbour.end()

        #expect(fixture.exists("outside/victim") && fixture.exists("cache/CACHEDIR.TAG"))
    }
}

/// Changes a cache during a flush, on a thread of its own: the pool that runs the tests may have only one thread.
nonisolated final class Neighbour: Sendable {
    let rounds = Atomic<Int>(0)
    private let isEnding = Atomic<Bool>(false)
    private let hasEnded = DispatchSemaphore(value: 0)

    init(base: String, root: String) {
        Thread.detachNewThread { [self] in
            while !isEnding.load(ordering: .relaxed) {
                Neighbour.work(base, root)
                rounds.add(1, ordering: .relaxed)
            }
            hasEnded.signal()
        }
    }

    /// Stops the thread and waits until it ends. May be called again.
    func end() {
        isEnding.store(true, ordering: .relaxed)
        hasEnded.wait()
        hasEnded.signal()
    }

    /// Makes `sub` alternately a directory and a link out of the cache; adds and removes files.
    private static func work(_ base: String, _ root: String) {
        mkdir(root + "/sub", 0o755)
        for name in ["victim", "a", "b", "c"] {
            close(open("\(root)/sub/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
            close(open("\(root)/\(name)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644))
        }
        rename(root + "/sub", root + "/sub.away")
        symlink("../outside", root + "/sub")
        unlink(root + "/a")
        rename(root + "/b", root + "/sub.away/d")
        unlink(root + "/sub")
        rename(root + "/sub.away", root + "/sub")
        for name in ["victim", "a", "b", "c", "d"] { unlink("\(root)/sub/\(name)") }
        rmdir(root + "/sub")
    }
}
