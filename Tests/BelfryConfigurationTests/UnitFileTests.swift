// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import Testing

/// Where a unit and its drop-ins are found. Each file of a test sets KillMode= to a different word; the warning about it
/// shows which file has precedence.
struct UnitSearchTests {
    private func inTemporaryRoot(_ body: (URL) throws -> Void) throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "belfry-units-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        try body(root)
    }

    /// The warnings about KillMode= and all errors, with paths relative to the root.
    private func findings(_ unit: String, in root: URL) -> [String] {
        UnitCheck.run(unit, against: .defaults, root: root.path).map(\.description)
            .filter { $0.contains("KillMode=") || !$0.contains("warning") }
            .map { $0.replacingOccurrences(of: root.path, with: "") }
            .map { $0.components(separatedBy: ": processes may")[0] }
    }

    private func write(_ path: String, in root: URL, _ mode: String) throws {
        try write(path, in: root, text: "[Service]\nType=notify\nTimeoutStopSec=1min\nKillMode=\(mode)\n")
    }

    private func write(_ path: String, in root: URL, text: String) throws {
        let file = root.appending(path: path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: false, encoding: .utf8)
    }

    private func mask(_ path: String, in root: URL) throws {
        try write(path + ".", in: root, text: "")
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: path).path, withDestinationPath: "/dev/null")
    }

    @Test(arguments: ["a", "a.service"])
    func firstDirectoryHasTheUnit(name: String) throws {
        try inTemporaryRoot { root in
            for directory in ["/usr/lib", "/usr/local/lib", "/run", "/etc"] {
                try write("\(directory)/systemd/system/a.service", in: root, directory)

                #expect(
                    findings(name, in: root) == [
                        "\(directory)/systemd/system/a.service:4:1: warning: KillMode=\(directory)"
                    ])
            }
        }
    }

    @Test func dropInsOfAllDirectoriesAreSortedByName() throws {
        try inTemporaryRoot { root in
            try write("/usr/lib/systemd/system/a.service", in: root, "mixed")
            for (directory, name) in [
                ("/etc", "10-a"), ("/usr/lib", "30-c"), ("/run", "20-b"), ("/usr/local/lib", "25-b"),
            ] {
                try write("\(directory)/systemd/system/a.service.d/\(name).conf", in: root, name)
            }

            #expect(
                findings("a", in: root) == [
                    "/usr/lib/systemd/system/a.service.d/30-c.conf:4:1: warning: KillMode=30-c"
                ])

            try mask("/etc/systemd/system/a.service.d/30-c.conf", in: root)

            #expect(
                findings("a", in: root) == [
                    "/usr/local/lib/systemd/system/a.service.d/25-b.conf:4:1: warning: KillMode=25-b"
                ])

            try write("/run/systemd/system/a.service.d/25-b.conf", in: root, "run")

            #expect(
                findings("a", in: root) == ["/run/systemd/system/a.service.d/25-b.conf:4:1: warning: KillMode=run"])
        }
    }

    @Test func fileInASearchDirectoryHasAllItsDropIns() throws {
        try inTemporaryRoot { root in
            try write("/usr/lib/systemd/system/a.service", in: root, "mixed")
            try write("/etc/systemd/system/a.service.d/x.conf", in: root, "none")

            #expect(
                findings(root.path + "/usr/lib/systemd/system/a.service", in: root) == [
                    "/etc/systemd/system/a.service.d/x.conf:4:1: warning: KillMode=none"
                ])
        }
    }

    @Test func fileElsewhereHasOnlyAdjacentDropIns() throws {
        try inTemporaryRoot { root in
            try write("/srv/a.service", in: root, "mixed")
            try write("/etc/systemd/system/a.service.d/y.conf", in: root, "none")

            #expect(findings(root.path + "/srv/a.service", in: root) == [])

            try write("/srv/a.service.d/x.conf", in: root, "process")

            #expect(
                findings(root.path + "/srv/a.service", in: root) == [
                    "/srv/a.service.d/x.conf:4:1: warning: KillMode=process"
                ])
        }
    }

    @Test func maskedUnitIsReported() throws {
        try inTemporaryRoot { root in
            try write("/usr/lib/systemd/system/a.service", in: root, "none")
            try mask("/etc/systemd/system/a.service", in: root)

            #expect(
                findings("a", in: root) == [
                    "/etc/systemd/system/a.service:1:1: error: the unit is masked: the file is empty"
                ])
        }
    }

    @Test(
        arguments: [
            ("a-b-c", "a-b-c", ["a-.service.d", "a-b-.service.d", "a-b-c.service.d"]),
            ("a@1", "a@", ["a@.service.d", "a@1.service.d"]),
            ("a-b@1", "a-b@1", ["a-@1.service.d", "a-b@.service.d"]),
            ("a", "a", ["service.d", "a.service.d"]),
        ])
    func dropInsOfAShorterNameHaveLowerPriority(unit: String, file: String, directories: [String]) throws {
        try inTemporaryRoot { root in
            try write("/usr/lib/systemd/system/\(file).service", in: root, "mixed")
            for directory in directories {
                let path = "/run/systemd/system/\(directory)/x.conf"
                try write(path, in: root, directory)

                #expect(findings(unit, in: root) == ["\(path):4:1: warning: KillMode=\(directory)"])
            }
        }
    }

    @Test func dropInForAllServicesHasTheLowestPriority() throws {
        try inTemporaryRoot { root in
            try write("/usr/lib/systemd/system/a.service", in: root, "mixed")
            try write("/etc/systemd/system/service.d/x.conf", in: root, "all")
            try write("/usr/lib/systemd/system/a.service.d/x.conf", in: root, "one")

            #expect(
                findings("a", in: root) == ["/usr/lib/systemd/system/a.service.d/x.conf:4:1: warning: KillMode=one"])
        }
    }

    @Test func unreadableDirectoryIsReported() throws {
        try inTemporaryRoot { root in
            try write("/usr/lib/systemd/system/a.service", in: root, "mixed")
            try write("/etc/systemd/system/a.service.d", in: root, text: "")

            #expect(
                findings("a", in: root) == [
                    "/etc/systemd/system/a.service.d:1:1: error: unable to read '/etc/systemd/system/a.service.d': "
                        + "Not a directory (ENOTDIR)"
                ])
        }
    }
}
