// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import BelfryCacheFlush
import Glibc
import Testing

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

    @Test(arguments: TreeBoundary.Method.allCases)
    func filesOfEveryLayerAreTrimmed(method: TreeBoundary.Method) throws {
        let report = try fixture.flushAll(method: method)

        #expect(report.filesSeen == 20 && report.filesRemoved == 20 && report.bytesFreed == 2000)
        #expect(report.mountsSkipped == 0 && report.problems == [])
    }

    @Test func filesOfTwoLayersWithOneInodeNumberAreTwo() throws {
        let report = try fixture.cache(sizeMax: 1000).flush(now: CacheFixture.now)

        #expect(report.filesRemoved == 10 && report.bytesFreed == 1000)
        #expect((10...19).allSatisfy { fixture.exists("disk/cache/a/\($0)") })
    }

    @Test(arguments: TreeBoundary.Method.allCases)
    func mountsInItAreNotEntered(method: TreeBoundary.Method) throws {
        try fixture.file("disk/cache/bound", age: 50)
        try fixture.mountBind("lower/cache/a/20", on: "disk/cache/bound")
        try fixture.directory("disk/cache/folder")
        try fixture.mountBind("lower/cache/a", on: "disk/cache/folder")
        try fixture.mountBind("disk/cache/a/11", on: "disk/cache/a/10")

        let report = try fixture.flushAll(method: method)

        // Each is met twice: when files are counted, and when pages are dropped.
        #expect(report.mountsSkipped == 6 && report.filesRemoved == 19 && report.problems == [])
        #expect(fixture.left("lower/cache/a/20", "lower/cache/a/29", "disk/cache/a/10").count == 3)
    }
}
