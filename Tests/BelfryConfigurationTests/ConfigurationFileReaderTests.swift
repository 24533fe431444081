// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import Testing

struct SystemFileReaderTests {
    private func inTemporaryDirectory(_ body: (String) throws -> Void) throws {
        var template = Array(("/tmp/belfry-configuration-" + String(repeating: "X", count: 6)).utf8CString)
        let path = try #require(mkdtemp(&template).map { String(cString: $0) })
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(path)
    }

    private func write(_ text: String, _ path: String) throws {
        let directory = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
    }

    @Test func filesBelowARootAreFoundInOrder() throws {
        try inTemporaryDirectory { root in
            try write("[Service]\nStopTimeout=1\n", root + "/usr/lib/belfry/belfry.conf")
            try write("[Service]\nStopTimeout=2\n", root + "/usr/lib/belfry/belfry.conf.d/a.conf")
            try write("[Service]\nStopTimeout=3\n", root + "/run/belfry/belfry.conf.d/b.conf")
            try write("not read", root + "/etc/belfry/belfry.conf.d/README")

            let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry.conf"))

            #expect(loaded.diagnostics.isEmpty)
            #expect(loaded.settings?.service.stopTimeout == .seconds(3))
            #expect(loaded.files.map { $0.dropFirst(root.count) }.first == "/usr/lib/belfry/belfry.conf")
            #expect(loaded.files.count == 3)
        }
    }

    @Test func linkToDevNullMasksAFile() throws {
        try inTemporaryDirectory { root in
            try write("broken", root + "/usr/lib/belfry/belfry.conf")
            try write("broken", root + "/run/belfry/belfry.conf.d/a.conf")
            try write("", root + "/etc/belfry/belfry.conf.d/x")
            for path in ["/etc/belfry/belfry.conf", "/etc/belfry/belfry.conf.d/a.conf"] {
                try FileManager.default.createSymbolicLink(atPath: root + path, withDestinationPath: "/dev/null")
            }

            let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry.conf"))

            #expect(loaded.settings == BelfrySettings.defaults)
        }
    }

    @Test func specialFileIsRefusedWithoutBlocking() throws {
        try inTemporaryDirectory { root in
            let fifo = root + "/fifo"
            try #require(mkfifo(fifo, 0o600) == 0)

            let loaded = ConfigurationLoader.load(from: .files([root, fifo, "/dev/zero", root + "/none"]))

            #expect(loaded.settings == nil)
            let names = loaded.diagnostics.map { $0.description.split(separator: " ").last ?? "" }
            #expect(names == ["(EISDIR)", "(EINVAL)", "(EINVAL)", "(ENOENT)"])
        }
    }

    @Test func danglingDropInIsReported() throws {
        try inTemporaryDirectory { root in
            try write("", root + "/etc/belfry/belfry.conf.d/x")
            let link = root + "/etc/belfry/belfry.conf.d/a.conf"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "gone")

            let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry.conf"))

            #expect(loaded.diagnostics.map(\.position.file) == [link])
        }
    }

    @Test func dropInNamesAreComparedAsBytes() throws {
        try inTemporaryDirectory { root in
            for path in ["etc/belfry/belfry.conf.d/\u{E9}.conf", "run/belfry/belfry.conf.d/e\u{301}.conf"] {
                try write("", "\(root)/\(path)")
            }
            try write("broken", root + "/etc/belfry/belfry.conf.d/.\u{301}.conf")

            let loaded = ConfigurationLoader.load(from: .search(root: root, name: "belfry.conf"))

            #expect(loaded.files.count == 2 && loaded.diagnostics.isEmpty)
        }
    }

    @Test func readEndsAtTheLimit() throws {
        try inTemporaryDirectory { root in
            try write(String(repeating: "#", count: 200_000), root + "/a")

            #expect(try SystemFileReader().read(root + "/a", limit: 100_000).count == 100_000)
            #expect(try SystemFileReader().read(root + "/a", limit: 1 << 20).count == 200_000)
        }
    }
}
