// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import CBelfry
import Glibc
import Testing

/// Files that are in use: open, or read lately.
@Suite nonisolated struct FileUseTests {
    let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test(arguments: [O_RDONLY, O_WRONLY, O_RDWR])
    func openFileIsKept(mode: Int32) throws {
        try fixture.file("cache/a/open", age: 50)
        try fixture.file("cache/closed", age: 40)
        let descriptor = open(fixture.root + "/a/open", mode | O_CLOEXEC)
        try #require(descriptor >= 0)
        defer { close(descriptor) }

        let report = try fixture.flushAll()

        #expect(report.filesRemoved == 1 && report.filesOpen == 1 && report.problems == [])
        #expect(fixture.existing("cache/a/open", "cache/closed") == ["cache/a/open"])
    }

    @Test func mappedFileIsKept() throws {
        try fixture.file("cache/mapped", age: 50)
        let descriptor = open(fixture.root + "/mapped", O_RDONLY | O_CLOEXEC)
        let memory = mmap(nil, 1, PROT_READ, MAP_PRIVATE, descriptor, 0)
        try #require(close(descriptor) == 0 && memory != MAP_FAILED)
        defer { munmap(memory, 1) }

        #expect(try fixture.flushAll().filesOpen == 1)
    }

    private func keepsAccessTimes(_ fixture: CacheFixture) -> Bool {
        var found = belfry_file_system()
        let descriptor = open(fixture.root, O_RDONLY | O_CLOEXEC)
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
}
