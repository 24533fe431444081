// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
@testable import BelfryCacheFlush
@testable import BelfryConfiguration
import BelfryLinux
import Foundation
import Glibc
import TestSupport
import Testing

/// A private directory with a tagged cache `cache` in it. It is removed with the object.
nonisolated final class CacheFixture {
    static let now = Duration.seconds(2_000_000_000)

    private let directory: TemporaryDirectory
    let base: String
    private var mounts: [String] = []

    let root: String

    /// - Parameter root: the path of the cache in the private directory.
    init(tag: String? = CacheTag.signature + "\n# made by a test\n", root path: String = "cache") throws {
        directory = try TemporaryDirectory()
        base = directory.url.path
        root = base + "/" + path
        try makeDirectory(path)
        if let tag { try file(path + "/CACHEDIR.TAG", tag, age: 0) }
    }

    deinit {
        for path in mounts.reversed() { try? CacheFixture.command("umount", "--lazy", path) }
    }

    static func command(_ words: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(words)")
    }

    /// Writes a file, and the directories above it, `age` seconds old.
    func file(_ path: String, _ content: String, age: Int64) throws {
        try makeDirectory((path as NSString).deletingLastPathComponent)
        let descriptor = open(base + "/" + path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        try #require(descriptor >= 0, "\(path): \(errno)")
        defer { close(descriptor) }
        let bytes = Array(content.utf8)
        try #require(write(descriptor, bytes, bytes.count) == bytes.count)
        try setAge(path, age)
    }

    /// Writes `size` bytes.
    func file(_ path: String, size: Int = 1, age: Int64) throws {
        try file(path, String(repeating: "x", count: size), age: age)
    }

    func setAge(_ path: String, _ age: Int64) throws {
        let seconds = time_t(CacheFixture.now.components.seconds - age)
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, base + "/" + path, times, AT_SYMLINK_NOFOLLOW) == 0)
    }

    func makeDirectory(_ path: String) throws {
        try FileManager.default.createDirectory(atPath: base + "/" + path, withIntermediateDirectories: true)
    }

    func link(_ path: String, to target: String) throws {
        try #require(symlink(target, base + "/" + path) == 0)
    }

    /// Mounts a tmpfs until the fixture is released.
    func mountMemory(_ path: String) throws {
        try makeDirectory(path)
        try CacheFixture.command("mount", "-t", "tmpfs", "-o", "size=1m", "belfry-test", base + "/" + path)
        mounts.append(base + "/" + path)
    }

    /// Mounts an overlay with two file systems as layers until the fixture is released.
    func mountOverlay(_ path: String, lower: String, upper: String) throws {
        for folder in [path, upper + "/files", upper + "/work"] { try makeDirectory(folder) }
        let layers = "lowerdir=\(base)/\(lower),upperdir=\(base)/\(upper)/files,workdir=\(base)/\(upper)/work"
        try CacheFixture.command("mount", "-t", "overlay", "-o", layers, "belfry-test", base + "/" + path)
        mounts.append(base + "/" + path)
    }

    /// Bind-mounts `source` until the fixture is released.
    func mountBind(_ source: String, on path: String) throws {
        try CacheFixture.command("mount", "--bind", base + "/" + source, base + "/" + path)
        mounts.append(base + "/" + path)
    }

    func exists(_ path: String) -> Bool {
        status(path) != nil
    }

    func status(_ path: String) -> belfry_status? {
        var status = belfry_status()
        return belfry_status_at(AT_FDCWD, base + "/" + path, &status) == 0 ? status : nil
    }

    /// Returns the paths that exist.
    func existing(_ paths: String...) -> [String] {
        paths.filter { exists($0) }
    }

    /// The descriptors of this process that refer to files in the fixture.
    func openDescriptors() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }.filter { $0.hasPrefix(base) }
    }

    func cache(
        _ paths: String..., sizeMax: UInt64? = nil, ageMax: Duration? = nil, filesMax: Int? = nil,
        keepFree: UInt64? = nil, writeBack: Bool = false, isDryRun: Bool = false
    ) -> CacheSettings {
        var cache = CacheSettings.named("test", paths.isEmpty ? [root] : paths.map { base + "/" + $0 })
        cache.limits = CacheLimits(sizeMax: sizeMax, ageMax: ageMax, filesMax: filesMax, keepFree: keepFree)
        (cache.writeBack, cache.isDryRun) = (writeBack, isDryRun)
        return cache
    }

    /// The space that files take, in bytes.
    func space(_ paths: String...) -> UInt64 { paths.reduce(0) { $0 + (status($1)?.space ?? 0) } }

    /// Flushes a cache with a limit of zero files.
    func flushAll(limits: TreeLimits = TreeLimits()) throws -> CacheFlushReport {
        var sweep = try CacheSweep(cache(filesMax: 0), limits: limits)
        try sweep.run(now: CacheFixture.now)
        return sweep.report
    }
}

nonisolated extension CacheSettings {
    private struct OneFile: ConfigurationFileReader {
        func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] { Array("[Cache x]\nPath=/x\n".utf8) }
        func names(in directory: String) throws(SystemError) -> [String] { [] }
    }

    /// A cache without limits that is not written back.
    static func named(_ name: String, _ paths: [String]) -> CacheSettings {
        var cache = ConfigurationLoader.read(from: .files(["x"]), reader: OneFile()).decoded.caches[0]
        (cache.name, cache.paths, cache.writeBack) = (name, paths, false)
        return cache
    }
}

nonisolated extension CacheSweep {
    /// Prepares the flush of the first directory of a cache, whose path has no pattern.
    init(
        _ cache: CacheSettings, limits: TreeLimits = TreeLimits(), monitor: FlushMonitor = FlushMonitor()
    ) throws(CacheError) {
        try self.init(
            cache, root: try CacheDirectory(cache.paths[0]),
            report: CacheFlushReport(name: cache.name, isDryRun: cache.isDryRun), limits: limits, monitor: monitor)
    }
}
