// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

struct ConfigurationFileReaderTests {
    private let directory = try! TemporaryDirectory()  // Without it, no test can do anything.
    private var root: String { directory.url.path }

    @Test func linkToDevNullMasksAFile() throws {
        try directory.write("usr/lib/belfry/belfry.conf", "broken")
        try directory.write("run/belfry/belfry.conf.d/a.conf", "broken")
        try directory.write("etc/belfry/belfry.conf.d/x", "")
        for path in ["/etc/belfry/belfry.conf", "/etc/belfry/belfry.conf.d/a.conf"] {
            try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: "/dev/null")
        }

        let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry"))

        #expect(loaded.settings == BelfrySettings.defaults)
    }

    @Test func specialFileIsRefusedWithoutBlocking() throws {
        let fifo = root + "/fifo"
        try #require(mkfifo(fifo, 0o600) == 0)

        let loaded = ConfigurationLoader.load(from: .files([root, fifo, "/dev/zero", root + "/none"]))

        #expect(loaded.settings == nil)
        let problem = "unable to read as a regular file '\(fifo)': Invalid argument (EINVAL)"
        #expect(loaded.diagnostics[1].description == "\(fifo):1:1: error: \(problem)")
        let names = loaded.diagnostics.map { $0.description.split(separator: " ").last ?? "" }
        #expect(names == ["(EISDIR)", "(EINVAL)", "(EINVAL)", "(ENOENT)"])
    }

    @Test func danglingDropInIsReported() throws {
        try directory.write("etc/belfry/belfry.conf.d/x", "")
        let link = root + "/etc/belfry/belfry.conf.d/a.conf"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "gone")

        let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry"))

        #expect(loaded.diagnostics.map(\.position.file) == [link])
    }

    @Test func dropInNamesAreComparedAsBytes() throws {
        for path in ["etc/belfry/belfry.conf.d/\u{E9}.conf", "run/belfry/belfry.conf.d/e\u{301}.conf"] {
            try directory.write(path, "")
        }
        try directory.write("etc/belfry/belfry.conf.d/.\u{301}.conf", "broken")

        let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry"))

        #expect(loaded.files.count == 2 && loaded.diagnostics.isEmpty)
    }

    @Test func readEndsAtTheLimit() throws {
        try directory.write("a", String(repeating: "#", count: 200_000))

        #expect(try SystemFileReader().read(root + "/a", limit: 100_000).count == 100_000)
        #expect(try SystemFileReader().read(root + "/a", limit: 1 << 20).count == 200_000)
    }
}
