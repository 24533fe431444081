// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryCacheFlush
import BelfryConfiguration
import Glibc
import Testing

@Suite nonisolated struct CachePathTests {
    let fixture: CacheFixture

    init() throws {
        fixture = try CacheFixture()
        for name in ["users/ann", "users/bob", "users/.hidden", "users/carl/deep"] {
            try fixture.file("\(name)/cache/CACHEDIR.TAG", CacheTag.signature, age: 0)
            try fixture.file("\(name)/cache/file", age: 50)
        }
    }

    private func flush(_ paths: String...) -> CacheFlushReport {
        var cache = CacheSettings.named("test", paths.map { fixture.base + "/" + $0 })
        cache.limits.filesMax = 0
        return cache.flush(now: CacheFixture.now)
    }

    private var remaining: [String] {
        ["ann", "bob", ".hidden", "carl/deep"].filter { fixture.exists("users/\($0)/cache/file") }
    }

    @Test(arguments: [
        ("users/*/cache", [".hidden", "carl/deep"]), ("users/?[!a]b/cache", ["ann", ".hidden", "carl/deep"]),
        ("users/[a-b]*/cache", [".hidden", "carl/deep"]), ("users/.*/cache", ["ann", "bob", "carl/deep"]),
        ("users/*/*/cache", ["ann", "bob", ".hidden"]), ("users/*/cache/", [".hidden", "carl/deep"]),
        ("users/\\bob/cache", ["ann", ".hidden", "carl/deep"]),
        ("users/b\\*/cache", ["ann", "bob", ".hidden", "carl/deep"]),
    ])
    func patternNamesDirectories(pattern: String, rest: [String]) throws {
        let report = flush(pattern)

        #expect(remaining == rest)
        #expect(report.filesRemoved == 4 - rest.count)
        #expect(try fixture.openDescriptors() == [])
    }

    @Test func everyPathIsFlushed() {
        let report = flush("users/ann/cache", "users/b*/cache", "cache")

        #expect(report.directories == 3 && report.filesRemoved == 2 && report.problems == [])
    }

    @Test func limitsHoldForEachDirectory() throws {
        for age in 1...3 as ClosedRange<Int64> { try fixture.file("users/bob/cache/\(age)", age: age) }

        let report = fixture.cache("users/*/cache", filesMax: 1).flush(now: CacheFixture.now)

        #expect(report.filesSeen == 5 && report.filesRemoved == 3)
        #expect(fixture.exists("users/ann/cache/file") && fixture.exists("users/bob/cache/1"))
    }

    @Test func patternWithoutAMatchIsNoProblem() {
        for pattern in ["users/x*/cache", "none/*/cache", "users/*/none", "users/ann/cache/f*"] {
            #expect(flush(pattern) == CacheFlushReport(name: "test"))
        }
    }

    @Test func matchWithoutATagIsSkipped() throws {
        try fixture.file("users/dora/cache/precious", age: 50)
        try #require(unlink(fixture.base + "/users/ann/cache/CACHEDIR.TAG") == 0)

        let report = flush("users/*/cache")

        #expect(report.directories == 1 && report.problems == [])
        #expect(fixture.exists("users/dora/cache/precious") && remaining == ["ann", ".hidden", "carl/deep"])
    }

    @Test func linksAreNotFollowedFromThePatternOn() throws {
        try fixture.link("users/eve", to: "carl/deep")
        try fixture.makeDirectory("users/fay")
        try fixture.link("users/fay/cache", to: "../carl/deep/cache")

        let report = flush("users/[ef]*/cache")

        #expect(report == CacheFlushReport(name: "test"))
        #expect(fixture.exists("users/carl/deep/cache/file"))
    }

    @Test func linkBeforeThePatternIsFollowed() throws {
        try fixture.link("alias", to: "users")

        #expect(flush("alias/a*/cache").filesRemoved == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "mounting needs root"))
    func matchThatIsAMountPointIsAProblem() throws {
        try fixture.mountMemory("users/ann/cache")
        try fixture.file("users/ann/cache/CACHEDIR.TAG", CacheTag.signature, age: 0)

        let report = flush("users/*/cache")

        #expect(report.problems == ["\(CacheError.mountPoint(fixture.base + "/users/ann/cache"))"])
        #expect(report.filesRemoved == 1)
    }
}
