// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import TestSupport
import Testing

struct CacheCheckTests {
    private func problems(_ text: String) -> [String] {
        let environment = ["RUNTIME_DIRECTORY": "/run/mine", "STATE_DIRECTORY": "/var/lib/mine"]
        let loaded = MemoryFiles.load(text).checkingCaches(
            environment: environment, uid: 0, name: "belfry",
            specifiers: Specifiers(environment: environment, uid: 0, service: "belfryd", instance: nil))
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

    @Test(arguments: [
        ("/r*/mine", "is the service's runtime directory '/run/mine'"),
        ("/v?r", "holds the service's state directory '/var/lib/mine'"),
        ("/[rv]un/m*e", "is the service's runtime directory '/run/mine'"),
        ("%S", "holds the service's state directory '/var/lib/mine'"),
        ("%t/[m]ine", "is the service's runtime directory '/run/mine'"),
    ])
    func patternsAndSpecifiersAreChecked(path: String, what: String) {
        let found = problems("[Cache a]\nPath=/var/cache/x \(path)\n")

        #expect(found.count == 1 && found[0].contains(what), "\(found)")
    }

    @Test func specifiersHaveTheValuesOfTheService() {
        let environment = ["XDG_RUNTIME_DIR": "/run/user/7", "HOME": "/home/me", "XDG_CACHE_HOME": "/c*"]
        func paths(_ text: String, uid: UInt32) -> [String]? {
            MemoryFiles.load("[Cache a]\nPath=\(text)\n").checkingCaches(
                environment: environment, uid: uid, name: "belfry",
                specifiers: Specifiers(environment: environment, uid: uid, service: "a@b.c", instance: "b.c")
            ).settings?.caches.first?.paths
        }

        #expect(paths("%C/x %S/y %t/z", uid: 0) == ["/var/cache/x", "/var/lib/y", "/run/z"])
        #expect(paths("%C/x %S/y %t/z", uid: 7) == ["/c\\*/x", "/home/me/.local/state/y", "/run/user/7/z"])
        #expect(paths("/srv/%N/%i/100%%", uid: 7) == ["/srv/a@b.c/b.c/100%"])
    }

    @Test func specifierWithoutAValueIsRefused() {
        let loaded = MemoryFiles.load("[Cache a]\nPath=/srv/%i\n").checkingCaches(
            environment: [:], uid: 0, name: "belfry",
            specifiers: Specifiers(environment: [:], uid: 0, service: "belfryd", instance: nil))

        #expect(
            loaded.diagnostics.map(\.description) == [
                "a.conf:2:1: error: invalid value of 'Path': the specifier '%i' has no value here"
            ])
        #expect(loaded.settings == nil)
    }

    @Test(arguments: [
        ("/a/%x", "2:9: error: invalid value of 'Path': unknown specifier '%x', expected %C, %S, %t, %N, %i or %%"),
        ("/b /a%", "2:11: error: invalid value of 'Path': unknown specifier '%', expected %C, %S, %t, %N, %i or %%"),
        ("%i/a", "2:6: error: invalid value of 'Path': expected an absolute path, not '%i/a'"),
        ("%C/../a", "2:6: error: invalid value of 'Path': path '/%C/../a' must not contain '..'"),
        ("a", "2:6: error: invalid value of 'Path': expected an absolute path, not 'a'"),
    ])
    func invalidPathIsReportedWithItsPosition(path: String, problem: String) {
        #expect(MemoryFiles.problems("[Cache a]\nPath=\(path)\n") == ["a.conf:" + problem])
    }

    @Test func cacheWithoutAPathIsRefused() {
        for text in ["[Cache a]\n", "[Cache a]\nPath=/a\nPath=\n"] {
            #expect(
                MemoryFiles.problems(text) == ["a.conf:1:2: error: missing key 'Path' in section [Cache a]"])
        }
    }

    @Test func configuredDirectoriesPrecedeTheEnvironment() {
        let service = "[Service]\nRuntimeDirectory=/srv/a\nStateDirectory=/srv/b\n"

        #expect(problems(service + "[Cache a]\nPath=/run\n[Cache b]\nPath=/srv\n[Cache c]\nPath=/srv/b\n").count == 2)
    }

    @Test func allProblemsAreReportedAtOnce() {
        #expect(problems("[Cache a]\nPath=/run\nSize=1\n[Cache b]\nPath=/var\n").count == 3)
    }
}
