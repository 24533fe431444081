// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

@testable import BelfryCacheFlush
@testable import BelfryConfiguration
import CBelfry
import Foundation
import Glibc
import TestSupport
import Testing

/// Files that are in use: open, or read lately.
@Suite nonisolated struct FileUseTests {
    let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test(arguments: [O_RDONLY, O_WRONLY, O_RDWR])
    func openFileIsKept(mode: Int32) throws {
        try fixture.file("cache/a/open", age: 50)
        try fixture.file("cache/closed", age: 40)
        let descriptor = Glibc.open(fixture.root + "/a/open", mode | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }

        let report = try fixture.flushAll()

        #expect(report.filesRemoved == 1 && report.filesOpen == 1 && report.problems == [])
        #expect(fixture.existing("cache/a/open", "cache/closed") == ["cache/a/open"])
    }

    @Test func mappedFileIsKept() throws {
        try fixture.file("cache/mapped", age: 50)
        let descriptor = Glibc.open(fixture.root + "/mapped", O_RDONLY | O_CLOEXEC)
        let memory = mmap(nil, 1, PROT_READ, MAP_PRIVATE, descriptor, 0)
        try #require(close(descriptor) == 0 && memory != MAP_FAILED)
        defer { munmap(memory, 1) }

        #expect(try fixture.flushAll().filesOpen == 1)
    }

    private func keepsAccessTimes(_ fixture: CacheFixture) -> Bool {
        var found = belfry_file_system()
        let descriptor = Glibc.open(fixture.root, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return belfry_examine_file_system(descriptor, &found) == 0 && found.keeps_access_times
    }

    /// Sets the time of the last access, `age` seconds ago.
    private func setAccess(_ fixture: CacheFixture, _ path: String, age: Int) throws {
        let access = timespec(tv_sec: Int(CacheFixture.now.components.seconds) - age, tv_nsec: 0)
        let times = [access, timespec(tv_sec: 0, tv_nsec: Int((1 << 30) - 2))]  // UTIME_OMIT
        try #require(utimensat(AT_FDCWD, fixture.base + "/" + path, times, 0) == 0)
    }

    @Test func fileThatWasReadLatelyIsKept() throws {
        try #require(keepsAccessTimes(fixture))
        try fixture.file("cache/read", age: 50)
        try fixture.file("cache/unread", age: 40)
        try setAccess(fixture, "cache/read", age: 10)

        #expect(fixture.cache(filesMax: 1).flush(now: CacheFixture.now).filesRemoved == 1)
        #expect(fixture.existing("cache/read", "cache/unread") == ["cache/read"])
    }

    @Test func fileThatWasWrittenAfterItWasReadCountsByTheWrite() throws {
        try fixture.file("cache/written", age: 10)
        try fixture.file("cache/old", age: 20)
        try setAccess(fixture, "cache/written", age: 50)

        #expect(fixture.cache(ageMax: .seconds(15)).flush(now: CacheFixture.now).filesRemoved == 1)
        #expect(fixture.exists("cache/written"))
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func withoutAccessTimesTheModificationCounts() throws {
        let fixture = try CacheFixture(tag: nil, root: "disk/cache")
        try fixture.mountMemory("disk")
        try CacheFixture.command("mount", "-o", "remount,noatime", fixture.base + "/disk")
        try fixture.file("disk/cache/CACHEDIR.TAG", CacheTag.signature, age: 0)
        try fixture.file("disk/cache/read", age: 50)
        try fixture.file("disk/cache/unread", age: 40)
        try setAccess(fixture, "disk/cache/read", age: 10)

        _ = fixture.cache(filesMax: 1).flush(now: CacheFixture.now)

        #expect(fixture.existing("disk/cache/read", "disk/cache/unread") == ["disk/cache/unread"])
    }

    /// Opens files until the end of the body.
    private func open(_ names: [String], _ body: () throws -> Void) throws {
        let descriptors = try names.map { name in
            let descriptor = Glibc.open(fixture.root + "/" + name, O_RDONLY | O_CLOEXEC)
            try #require(descriptor >= 0)
            return descriptor
        }
        defer { for descriptor in descriptors { close(descriptor) } }
        try body()
    }

    /// Random caches, of which random files are open: others are deleted in their place, the oldest first.
    @Test(arguments: 1...40 as ClosedRange<UInt64>, [false, true])
    func limitIsMetAlthoughTheOldestFilesAreOpen(seed: UInt64, isDryRun: Bool) throws {
        var random = SeededRandom(seed: seed)
        let names = (0..<Int.random(in: 1...12, using: &random)).map { "file\($0)" }
        for (age, name) in names.reversed().enumerated() { try fixture.file("cache/" + name, age: Int64(age)) }
        // Fewer than make a flush delete more than needed.
        let isOpen = names.map { _ in Int.random(in: 0..<3, using: &random) > 0 }
        let most = Int.random(in: max(0, names.count - 3)...names.count, using: &random)
        let closed = names.indices.filter { !isOpen[$0] }
        let expected = closed.prefix(names.count - most).map { names[$0] }

        try open(names.indices.filter { isOpen[$0] }.map { names[$0] }) {
            let bySize = Bool.random(using: &random)
            let space = fixture.space("cache/" + names[0])
            let cache = fixture.cache(
                sizeMax: bySize ? UInt64(most) * space : nil, filesMax: bySize ? nil : most, isDryRun: isDryRun)

            let report = cache.flush(now: CacheFixture.now)

            let gone =
                isDryRun
                ? report.examples.map { ($0 as NSString).lastPathComponent }
                : names.filter { !fixture.exists("cache/" + $0) }
            let (lacking, more) = (expected.filter { !gone.contains($0) }, gone.filter { !expected.contains($0) })
            #expect(lacking == [] && report.problems == [] && report.limitsReached == [])
            #expect(more.count <= isOpen.count { $0 } && (names.count <= 5 ? more == [] : true))
        }
    }

    @Test func manyOpenFilesDoNotMeanManyWalks() throws {
        var totals = OldestFiles(capacity: 100_000)
        for number in 0..<100_000 as Range<UInt64> {
            totals.add(
                FileAge(usedNsec: Int64(number), inode: number, space: 1), links: 1,
                identity: FileIdentity(device: 1, inode: number))
        }
        var plan = TrimPlan(&totals, limits: CacheLimits(filesMax: 99_999), now: CacheFixture.now)
        var rounds = 1

        // All but the last are open.
        while plan.last?.usedNsec != 99_999 {
            var open = FileTotals()
            for inode in 0..<UInt64(plan.count) {
                open.add(1, links: 1, identity: FileIdentity(device: 1, inode: inode))
            }
            let isExtended = plan.extend(keeping: open)
            try #require(isExtended)
            rounds += 1
        }

        #expect(rounds < 25)
    }

    /// To the process it would be a signal that the service may have mapped.
    @Test func leaseIsAnnouncedToItsThreadAlone() throws {
        try fixture.file("cache/file", age: 1)
        let descriptor = Glibc.open(fixture.root + "/file", O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        try #require(belfry_lease(descriptor) == 0)

        var owner: (type: Int32, pid: Int32) = (-1, -1)
        let getOwner: Int32 = 16  // F_GETOWN_EX
        try #require(withUnsafeMutablePointer(to: &owner) { fcntl(descriptor, getOwner, $0) } == 0)

        #expect(owner.type == 0)  // F_OWNER_TID
    }
}
