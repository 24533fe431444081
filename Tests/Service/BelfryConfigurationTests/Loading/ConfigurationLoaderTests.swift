// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Glibc
import Lifecycle
import Testing

struct ConfigurationLoaderTests {
    private func search(_ files: MemoryFiles) -> LoadedConfiguration {
        ConfigurationLoader.load(from: .search(root: "/r", name: "belfry"), reader: files)
    }

    private func timeouts(_ seconds: Int) -> String { "[Service]\nStopTimeout=\(seconds)\n" }

    @Test func onlyTheMainFileOfHighestPriorityIsRead() {
        var files = [
            "/r/usr/lib/belfry/belfry.conf": "[Service]\nStopTimeout=1\nListenerTimeout=1\n",
            "/r/run/belfry/belfry.conf": timeouts(2),
        ]
        #expect(search(MemoryFiles(files)).settings?.service.stopTimeout == .seconds(2))
        #expect(search(MemoryFiles(files)).settings?.service.listenerTimeout == .seconds(10))

        files["/r/etc/belfry/belfry.conf"] = timeouts(3)

        #expect(search(MemoryFiles(files)).settings?.service.stopTimeout == .seconds(3))
        #expect(search(MemoryFiles(files)).files == ["/r/etc/belfry/belfry.conf"])
    }

    @Test func dropInsOverrideTheMainFileInOrderOfNames() {
        let loaded = search(
            MemoryFiles([
                "/r/etc/belfry/belfry.conf": timeouts(1),
                "/r/etc/belfry/belfry.conf.d/10-a.conf": timeouts(2),
                "/r/usr/lib/belfry/belfry.conf.d/90-b.conf": timeouts(3),
                "/r/run/belfry/belfry.conf.d/50-c.conf": timeouts(4),
                "/r/etc/belfry/belfry.conf.d/99-d.txt": "broken",
                "/r/etc/belfry/belfry.conf.d/.99-e.conf": "broken",
            ]))

        #expect(loaded.settings?.service.stopTimeout == .seconds(3))
        #expect(
            loaded.files == [
                "/r/etc/belfry/belfry.conf", "/r/etc/belfry/belfry.conf.d/10-a.conf",
                "/r/run/belfry/belfry.conf.d/50-c.conf", "/r/usr/lib/belfry/belfry.conf.d/90-b.conf",
            ])
    }

    @Test func dropInOfHigherPriorityReplacesItsNamesake() {
        var files = [
            "/r/usr/lib/belfry/belfry.conf.d/a.conf": "[Service]\nStopTimeout=1\nListenerTimeout=1\n",
            "/r/usr/local/lib/belfry/belfry.conf.d/a.conf": timeouts(3),
        ]
        #expect(search(MemoryFiles(files)).settings?.service.stopTimeout == .seconds(3))

        files["/r/run/belfry/belfry.conf.d/a.conf"] = timeouts(2)

        #expect(search(MemoryFiles(files)).settings?.service.stopTimeout == .seconds(2))
        #expect(search(MemoryFiles(files)).settings?.service.listenerTimeout == .seconds(10))

        files["/r/etc/belfry/belfry.conf.d/a.conf"] = ""

        #expect(search(MemoryFiles(files)).settings == BelfrySettings.defaults)
    }

    @Test func filesHaveTheNameOfTheService() {
        let files = MemoryFiles([
            "/etc/thumbd/thumbd.conf": timeouts(1), "/usr/lib/thumbd/thumbd.conf.d/a.conf": timeouts(2),
            "/etc/belfry/belfry.conf": "broken",
        ])

        let loaded = ConfigurationLoader.load(
            from: ConfigurationSources(files: nil, service: "thumbd"), reader: files)

        #expect(loaded.files == ["/etc/thumbd/thumbd.conf", "/usr/lib/thumbd/thumbd.conf.d/a.conf"])
        #expect(loaded.settings?.service.stopTimeout == .seconds(2))
    }

    @Test func instanceHasFilesOfItsOwn() {
        let files = MemoryFiles([
            "/etc/belfry/instances/video/belfry.conf": timeouts(1),
            "/usr/lib/belfry/instances/video/belfry.conf.d/a.conf": timeouts(2),
            "/etc/belfry/belfry.conf": "broken", "/etc/belfry/instances/audio/belfry.conf": "broken",
        ])
        let sources = ConfigurationSources(files: nil, service: "belfry", instance: "video")

        let loaded = ConfigurationLoader.load(from: sources, reader: files)

        #expect(loaded.files.first == "/etc/belfry/instances/video/belfry.conf")
        #expect(loaded.files.last == "/usr/lib/belfry/instances/video/belfry.conf.d/a.conf")
        #expect(loaded.settings?.service.stopTimeout == .seconds(2))
    }

    @Test(arguments: [
        ("/home/ann/.config/thumbd", "/home/ann/.config/thumbd"), ("/srv/a:/srv/b", "/srv/a"), ("a", "/etc/thumbd"),
    ])
    func configurationDirectoryOfTheUnitComesFirst(variable: String, first: String) {
        let files = MemoryFiles([
            "/home/ann/.config/thumbd/thumbd.conf": "", "/srv/a/thumbd.conf": "", "/etc/thumbd/thumbd.conf": "",
            "/usr/lib/thumbd/thumbd.conf": "broken", "/usr/lib/thumbd/thumbd.conf.d/a.conf": "",
        ])
        let sources = ConfigurationSources(
            files: nil, service: "thumbd", environment: ["CONFIGURATION_DIRECTORY": variable])

        let loaded = ConfigurationLoader.load(from: sources, reader: files)

        #expect(loaded.files == ["\(first)/thumbd.conf", "/usr/lib/thumbd/thumbd.conf.d/a.conf"])
    }

    @Test func sectionsOfOthersAreIgnoredAndUnknownOnesAreErrors() {
        #expect(MemoryFiles.problems("[X-Other]\nKey=1\n[X-]\n[X-Other name]\n").isEmpty)
        #expect(MemoryFiles.problems("[x-Other]\n[XOther]\n").count == 2)
    }

    @Test func declaredSectionIsKnownAndSuggested() {
        let files = MemoryFiles(["a.conf": "[Thumbd]\n[Thumb]\n"])

        let loaded = ConfigurationLoader.read(from: .files(["a.conf"]), reader: files)

        #expect(loaded.settings != nil)
        #expect(
            loaded.requiringKnownSections(["Thumbd"]).diagnostics.map(\.description)
                == ["a.conf:2:2: error: unknown section [Thumb], did you mean '[Thumbd]'?"])
    }

    @Test func noFileMeansDefaults() {
        let loaded = search(MemoryFiles())

        #expect(loaded.settings == BelfrySettings.defaults && loaded.diagnostics.isEmpty && loaded.files.isEmpty)
    }

    @Test func listsAreAppendedAcrossFiles() {
        let loaded = search(
            MemoryFiles([
                "/r/etc/belfry/belfry.conf": "[Cache a]\nPath=/a\nOn=x\n",
                "/r/etc/belfry/belfry.conf.d/a.conf": "[Cache a]\nOn=y\n",
            ]))

        #expect(loaded.settings?.caches.first?.on.map(\.rawValue) == ["x", "y"])
    }

    @Test func givenFilesAreReadAloneAndInOrder() {
        let files = MemoryFiles([
            "/etc/belfry/belfry.conf": "broken", "b": timeouts(1), "a": "[Service]\nListenerTimeout=5\n",
        ])

        let loaded = ConfigurationLoader.load(from: .files(["b", "a"]), reader: files)

        #expect(loaded.settings?.service.stopTimeout == .seconds(1))
        #expect(loaded.settings?.service.listenerTimeout == .seconds(5))
        #expect(loaded.files == ["b", "a"])
    }

    @Test func allUnreadableFilesAreReported() {
        let loaded = search(
            MemoryFiles(
                ["/r/usr/lib/belfry/belfry.conf": timeouts(1), "/r/run/belfry/belfry.conf.d/b.conf": "oops"],
                failing: [
                    "/r/etc/belfry/belfry.conf": EACCES, "/r/etc/belfry/belfry.conf.d": EIO,
                    "/r/run/belfry/belfry.conf.d/a.conf": EISDIR,
                ]))

        #expect(loaded.settings == nil)
        #expect(loaded.diagnostics.count == 4)
        #expect(
            loaded.diagnostics.first?.description
                == "/r/etc/belfry/belfry.conf:1:1: error: unable to read '/r/etc/belfry/belfry.conf': "
                + "Permission denied (EACCES)")
        #expect(loaded.files == ["/r/run/belfry/belfry.conf.d/b.conf"])
    }

    @Test func dropInThatVanishesAfterTheListingIsNone() {
        let (first, second) = ("/r/etc/belfry/belfry.conf.d/60-b.conf", "/r/usr/lib/belfry/belfry.conf.d/60-b.conf")
        let files = [
            "/r/etc/belfry/belfry.conf.d/50-a.conf": timeouts(2), first: timeouts(3), second: timeouts(4),
            "/r/etc/belfry/belfry.conf.d/160-b.conf": timeouts(1),
        ]
        func load(without vanished: [String]) -> LoadedConfiguration {
            let reader = VanishingFiles(MemoryFiles(files), vanished: vanished)
            return ConfigurationLoader.load(from: .search(root: "/r", name: "belfry"), reader: reader)
        }

        #expect(load(without: []).settings?.service.stopTimeout == .seconds(3))
        #expect(load(without: [first]).settings?.service.stopTimeout == .seconds(4))
        #expect(load(without: [first, second]).settings?.service.stopTimeout == .seconds(2))
        #expect(load(without: [second]).settings?.service.stopTimeout == .seconds(3))
        let only = "/r/etc/belfry/belfry.conf.d/50-a.conf"
        let loaded = load(without: [only])
        #expect(loaded.diagnostics.isEmpty && !loaded.files.contains(only))
    }

    @Test func dropInThatIsALinkToNothingIsAnError() {
        let path = "/r/etc/belfry/belfry.conf.d/50-a.conf"

        let loaded = search(MemoryFiles([:], failing: [path: ENOENT]))

        #expect(loaded.settings == nil)
        #expect(loaded.diagnostics.map(\.position.file) == [path])
    }
}
