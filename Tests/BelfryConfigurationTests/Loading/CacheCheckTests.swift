// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Glibc
import TestSupport
import Testing

struct CacheCheckTests {
    private func problems(_ text: String, onDisk: Bool = false) -> [String] {
        let environment = ["RUNTIME_DIRECTORY": "/run/mine", "STATE_DIRECTORY": "/var/lib/mine"]
        let loaded = MemoryFiles.load(text).checkingCaches(
            environment: environment, uid: 0, name: "belfry", onDisk: onDisk)
        #expect((loaded.settings == nil) == !loaded.diagnostics.isEmpty)
        return loaded.diagnostics.map(\.description)
    }

    @Test(arguments: ["/", "//", "/./"])
    func rootOfTheFileSystemIsNoCache(path: String) {
        #expect(
            MemoryFiles.problems("[Cache a]\nPath=\(path)\n") == [
                "a.conf:2:6: error: invalid value of 'Path': expected a directory below '/', such as '/var/cache/NAME'"
            ])
    }

    @Test(arguments: [
        ("/run/mine", "is the service's runtime directory '/run/mine'"),
        ("/run", "holds the service's runtime directory '/run/mine'"),
        ("/var/lib/mine", "is the service's state directory '/var/lib/mine'"),
        ("/var", "holds the service's state directory '/var/lib/mine'"),
        ("/var/lib/mine/state", "is the service's directory for the states of listeners '/var/lib/mine/state'"),
    ])
    func cacheWithFilesOfTheServiceIsRefused(path: String, what: String) {
        #expect(
            problems("[Cache a]\nSizeMax=1M\nPath=\(path)/\n") == [
                "a.conf:3:1: error: the cache '\(path)' \(what), name a directory that holds nothing but the cache"
            ])
    }

    @Test(arguments: ["/run/mine/cache", "/var/lib/mine/cache", "/run/min", "/run/mine2", "/var/lib/m", "/var/cache"])
    func separateCacheIsAccepted(path: String) {
        #expect(problems("[Cache a]\nPath=\(path)\n") == [])
    }

    @Test func configuredDirectoriesPrecedeTheEnvironment() {
        let service = "[Service]\nRuntimeDirectory=/srv/a\nStateDirectory=/srv/b\n"

        #expect(problems(service + "[Cache a]\nPath=/run\n[Cache b]\nPath=/srv\n[Cache c]\nPath=/srv/b\n").count == 2)
    }

    @Test func allProblemsAreReportedAtOnce() {
        #expect(problems("[Cache a]\nPath=/run\nSize=1\n[Cache b]\nPath=/var\n").count == 3)
    }

    @Test func symbolicLinksAreResolvedOnDisk() throws {
        let directory = try TemporaryDirectory()
        let link = directory.path("link")
        try #require(symlink("/run", link) == 0)

        #expect(problems("[Cache a]\nPath=\(link)\n") == [])
        #expect(problems("[Cache a]\nPath=\(link)/mine\n", onDisk: true).count == 1)
        #expect(problems("[Cache a]\nPath=\(link)\n", onDisk: true).count == 1)
    }

    @Test func mountPointIsRefusedOnDisk() {
        #expect(problems("[Cache a]\nPath=/proc\n") == [])
        #expect(
            problems("[Cache a]\nPath=/proc\n", onDisk: true) == [
                "a.conf:2:1: error: the cache '/proc' is a mount point, name a directory below it"
            ])
        #expect(problems("[Cache a]\nPath=/proc/sys\n", onDisk: true) == [])
        #expect(problems("[Cache a]\nPath=/not/there\n", onDisk: true) == [])
    }
}
