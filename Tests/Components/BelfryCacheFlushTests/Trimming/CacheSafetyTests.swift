// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import CBelfry
import Glibc
import Testing

@Suite nonisolated struct CacheSafetyTests {
    let fixture: CacheFixture

    init() throws { fixture = try CacheFixture() }

    @Test func missingTagPreventsDeletion() throws {
        let fixture = try CacheFixture(tag: nil)
        try fixture.file("cache/old", age: 50)

        let error = #expect(throws: CacheError.self) { try fixture.flushAll() }

        #expect(error?.description == "unable to trim '\(fixture.root)': it holds no CACHEDIR.TAG")
        #expect(fixture.exists("cache/old"))
    }

    @Test(arguments: [
        "", "Signature: 8a477f597d28d172789f06886806bc5", "signature: 8a477f597d28d172789f06886806bc55",
        " Signature: 8a477f597d28d172789f06886806bc55", "Signature: 8a477f597d28d172789f06886806bc56",
    ])
    func tagWithoutTheSignatureIsNoTag(content: String) throws {
        let fixture = try CacheFixture(tag: content)
        try fixture.file("cache/old", age: 50)

        #expect(throws: CacheError.tagSignature(fixture.root)) { try fixture.flushAll() }
        #expect(fixture.exists("cache/old"))
    }

    @Test func signatureWithoutALineEndIsATag() throws {
        let fixture = try CacheFixture(tag: "Signature: 8a477f597d28d172789f06886806bc55")
        try fixture.file("cache/old", age: 50)

        #expect(try fixture.flushAll().filesRemoved == 1)
    }

    @Test func specialFileIsNoTag() throws {
        for make in [
            {
                try $0.file("tag", CacheTag.signature, age: 0); try $0.link("cache/CACHEDIR.TAG", to: "../tag")
            },
            { try $0.makeDirectory("cache/CACHEDIR.TAG") },
            { try #require(mkfifo($0.root + "/CACHEDIR.TAG", 0o600) == 0) },
        ] as [(CacheFixture) throws -> Void] {
            let fixture = try CacheFixture(tag: nil)
            try fixture.file("cache/old", age: 50)
            try make(fixture)

            #expect(throws: CacheError.tagNotRegular(fixture.root)) { try fixture.flushAll() }
            #expect(fixture.exists("cache/old"))
        }
    }

    @Test func removedTagStopsTheTrimming() throws {
        try fixture.file("cache/old", age: 50)
        var sweep = try CacheSweep(fixture.cache(filesMax: 0))

        try sweep.survey()
        try #require(unlink(fixture.root + "/CACHEDIR.TAG") == 0)

        #expect(throws: CacheError.tagMissing(fixture.root)) { try sweep.trim(now: CacheFixture.now) }
        #expect(fixture.exists("cache/old"))
    }

    @Test func tagsAreNeverDeletedNorCounted() throws {
        try fixture.setAge("cache/CACHEDIR.TAG", 1_000_000)
        try fixture.file("cache/nested/CACHEDIR.TAG", CacheTag.signature, age: 1_000_000)
        try fixture.file("cache/nested/file", age: 1)

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 1 && report.filesRemoved == 1)
        #expect(fixture.exists("cache/CACHEDIR.TAG") && fixture.exists("cache/nested/CACHEDIR.TAG"))
    }

    @Test func linksAreNeitherFollowedNorCountedNorDeleted() throws {
        try fixture.file("outside/precious", age: 1_000_000)
        try fixture.link("cache/directory", to: "../outside")
        try fixture.link("cache/file", to: "../outside/precious")
        try fixture.link("cache/dangling", to: "nowhere")
        try fixture.link("cache/loop", to: ".")

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 0 && report.filesRemoved == 0 && report.problems == [])
        let links = ["outside/precious", "cache/directory", "cache/file", "cache/dangling", "cache/loop"]
        #expect(links.allSatisfy { fixture.exists($0) })
    }

    @Test(arguments: ["", "/", "/.", "//./"])
    func linkAsRootIsRefused(ending: String) throws {
        try fixture.file("cache/old", age: 50)
        try fixture.link("alias", to: "cache")
        let path = fixture.base + "/alias" + ending

        let report = fixture.cache("alias" + ending, filesMax: 0).flush(now: CacheFixture.now)

        #expect(
            report.problems == ["unable to flush '\(path)': it is a symbolic link, name the directory itself"])
        #expect(fixture.exists("cache/old"))
    }

    @Test func linkAboveTheRootIsFollowed() throws {
        try fixture.file("cache/old", age: 50)
        try fixture.link("alias", to: ".")

        let report = fixture.cache("alias/cache/", filesMax: 0).flush(now: CacheFixture.now)

        #expect(report.filesRemoved == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func otherFileSystemIsNotEntered() throws {
        try fixture.mountMemory("cache/memory")
        try fixture.file("cache/memory/precious", age: 50)
        try fixture.file("cache/old", age: 50)

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 1 && report.filesRemoved == 1 && report.mountsSkipped == 1)
        #expect(fixture.existing("cache/memory/precious", "cache/old") == ["cache/memory/precious"])
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func bindMountOfTheSameFileSystemIsNotEntered() throws {
        try fixture.file("outside/precious", age: 50)
        try fixture.makeDirectory("cache/bound")
        try fixture.mountBind("outside", on: "cache/bound")
        try fixture.file("cache/file", age: 50)
        try fixture.file("treasure", age: 50)
        try fixture.mountBind("treasure", on: "cache/file")

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 0 && report.problems == [])
        #expect(fixture.exists("outside/precious") && fixture.exists("treasure"))
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func wholeFileSystemIsNoCache() throws {
        try fixture.mountMemory("cache")
        try fixture.file("cache/CACHEDIR.TAG", CacheTag.signature, age: 0)
        try fixture.file("cache/a", age: 1)

        #expect(throws: CacheError.mountPoint(fixture.root)) { try fixture.flushAll() }
        #expect(fixture.exists("cache/a"))
    }

    /// systemd bind-mounts each path in ReadWritePaths= and CacheDirectory= of a unit on itself.
    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func cacheMountedOnItselfIsFlushed() throws {
        try fixture.file("cache/a", age: 1)
        try fixture.mountBind("cache", on: "cache")

        #expect(try fixture.flushAll().filesRemoved == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func firstProblemsAreReported() throws {
        let fixture = try CacheFixture(tag: nil, root: "disk/cache")
        try fixture.mountMemory("disk")
        try fixture.file("disk/cache/CACHEDIR.TAG", CacheTag.signature, age: 0)
        for age in 1...20 as ClosedRange<Int64> { try fixture.file("disk/cache/a/\(age)", age: age) }
        // A child that another test has just forked has the file open until it calls execve(2).
        let attempts = (1...500).lazy.map { _ in
            try? CacheFixture.command("mount", "-o", "remount,ro", fixture.base + "/disk")
        }
        try #require(attempts.contains { $0 != nil })

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 20 && report.filesRemoved == 0 && report.bytesFreed == 0)
        #expect(report.problems.count == 16)
        #expect(report.problems.allSatisfy { $0.hasPrefix("unable to delete '\(fixture.root)/a/") })
    }

    @Test func socketsPipesAndDevicesAreKept() throws {
        try #require(mkfifo(fixture.root + "/pipe", 0o600) == 0)
        try #require(mknod(fixture.root + "/socket", S_IFSOCK | 0o600, 0) == 0)
        if geteuid() == 0 { try #require(mknod(fixture.root + "/null", S_IFCHR | 0o600, 0x103) == 0) }

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 0 && report.problems == [])
        #expect(fixture.exists("cache/pipe") && fixture.exists("cache/socket"))
    }
}

/// A cache on an overlay whose layers are two file systems: a file there has the device of its layer, and its inode
/// number may be that of a file of the other one.
@Suite(.enabled(if: geteuid() == 0, "mounting needs root")) nonisolated struct CacheOverlayTests {
    /// Ten files of 100 bytes in the lower layer, aged 20 to 29, and ten in the upper one, aged 10 to 19.
    let fixture: CacheFixture

    init() throws {
        fixture = try CacheFixture(tag: nil, root: "disk/cache")
        for layer in ["lower", "upper"] { try fixture.mountMemory(layer) }
        try fixture.file("lower/cache/CACHEDIR.TAG", CacheTag.signature, age: 0)
        for age in 20...29 as ClosedRange<Int64> { try fixture.file("lower/cache/a/\(age)", size: 100, age: age) }
        try fixture.mountOverlay("disk", lower: "lower", upper: "upper")
        for age in 10...19 as ClosedRange<Int64> { try fixture.file("disk/cache/a/\(age)", size: 100, age: age) }

        let devices = ["disk/cache/a", "disk/cache/a/10", "disk/cache/a/20"].compactMap { fixture.status($0)?.device }
        try #require(Set(devices).count == 3)
    }

    private func space(of ages: ClosedRange<Int>) -> UInt64 {
        ages.reduce(0) { $0 + fixture.space("disk/cache/a/\($1)") }
    }

    @Test func filesOfEveryLayerAreTrimmed() throws {
        let space = space(of: 10...29)

        let report = try fixture.flushAll()

        #expect(report.filesSeen == 20 && report.filesRemoved == 20 && report.bytesFreed == space)
        #expect(report.mountsSkipped == 0 && report.problems == [])
    }

    @Test func equalInodeNumbersOfTwoLayersAreTwoFiles() throws {
        let (space, freed) = (space(of: 10...19), space(of: 20...29))

        let report = fixture.cache(sizeMax: space).flush(now: CacheFixture.now)

        #expect(report.filesRemoved == 10 && report.bytesFreed == freed)
        #expect((10...19).allSatisfy { fixture.exists("disk/cache/a/\($0)") })
    }

    @Test func mountsInAnOverlayAreNotEntered() throws {
        try fixture.file("disk/cache/bound", age: 50)
        try fixture.mountBind("lower/cache/a/20", on: "disk/cache/bound")
        try fixture.makeDirectory("disk/cache/folder")
        try fixture.mountBind("lower/cache/a", on: "disk/cache/folder")
        try fixture.mountBind("disk/cache/a/11", on: "disk/cache/a/10")

        let report = try fixture.flushAll()

        #expect(report.mountsSkipped == 3 && report.filesRemoved == 19 && report.problems == [])
        #expect(fixture.existing("lower/cache/a/20", "lower/cache/a/29", "disk/cache/a/10").count == 3)
    }
}
