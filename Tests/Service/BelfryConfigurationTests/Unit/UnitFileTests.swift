// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Foundation
import TestSupport
import Testing

/// Where a unit and its drop-ins are found. Each file of a test sets KillMode= to a different word; the warning about it
/// shows which file has precedence.
struct UnitFileTests {
    private let directory: TemporaryDirectory
    private var root: URL { directory.url }

    init() throws { directory = try TemporaryDirectory() }

    /// The warnings about KillMode= and all errors, with paths relative to the root.
    private func findings(_ unit: String) -> [String] {
        UnitCheck.run(unit, against: .defaults, root: root.path).map(\.description)
            .filter { $0.contains("KillMode=") || !$0.contains("warning") }
            .map { $0.replacingOccurrences(of: root.path, with: "") }
            .map { $0.components(separatedBy: ": processes may")[0] }
    }

    private func write(_ path: String, _ mode: String) throws {
        try directory.write(path, "[Service]\nType=notify\nTimeoutStopSec=1min\nKillMode=\(mode)\n")
    }

    private func mask(_ path: String) throws {
        try directory.write(path + ".", "")
        try FileManager.default.createSymbolicLink(
            atPath: root.appending(path: path).path, withDestinationPath: "/dev/null")
    }

    @Test(arguments: ["a", "a.service"])
    func firstDirectoryHasTheUnit(name: String) throws {
        for directory in ["/usr/lib", "/usr/local/lib", "/run", "/etc"] {
            try write("\(directory)/systemd/system/a.service", directory)

            #expect(
                findings(name) == [
                    "\(directory)/systemd/system/a.service:4:1: warning: KillMode=\(directory)"
                ])
        }
    }

    @Test func dropInsOfAllDirectoriesAreSortedByName() throws {
        try write("/usr/lib/systemd/system/a.service", "mixed")
        for (directory, name) in [
            ("/etc", "10-a"), ("/usr/lib", "30-c"), ("/run", "20-b"), ("/usr/local/lib", "25-b"),
        ] {
            try write("\(directory)/systemd/system/a.service.d/\(name).conf", name)
        }

        #expect(
            findings("a") == [
                "/usr/lib/systemd/system/a.service.d/30-c.conf:4:1: warning: KillMode=30-c"
            ])

        try mask("/etc/systemd/system/a.service.d/30-c.conf")

        #expect(
            findings("a") == [
                "/usr/local/lib/systemd/system/a.service.d/25-b.conf:4:1: warning: KillMode=25-b"
            ])

        try write("/run/systemd/system/a.service.d/25-b.conf", "run")

        #expect(
            findings("a") == ["/run/systemd/system/a.service.d/25-b.conf:4:1: warning: KillMode=run"])
    }

    @Test func fileInASearchDirectoryHasAllItsDropIns() throws {
        try write("/usr/lib/systemd/system/a.service", "mixed")
        try write("/etc/systemd/system/a.service.d/x.conf", "none")

        #expect(
            findings(root.path + "/usr/lib/systemd/system/a.service") == [
                "/etc/systemd/system/a.service.d/x.conf:4:1: warning: KillMode=none"
            ])
    }

    @Test func fileElsewhereHasOnlyAdjacentDropIns() throws {
        try write("/srv/a.service", "mixed")
        try write("/etc/systemd/system/a.service.d/y.conf", "none")

        #expect(findings(root.path + "/srv/a.service") == [])

        try write("/srv/a.service.d/x.conf", "process")

        #expect(
            findings(root.path + "/srv/a.service") == [
                "/srv/a.service.d/x.conf:4:1: warning: KillMode=process"
            ])
    }

    @Test func maskedUnitIsReported() throws {
        try write("/usr/lib/systemd/system/a.service", "none")
        try mask("/etc/systemd/system/a.service")

        #expect(
            findings("a") == [
                "/etc/systemd/system/a.service:1:1: error: the unit is masked: the file is empty"
            ])
    }

    @Test(
        arguments: [
            ("a-b-c", "a-b-c", ["a-.service.d", "a-b-.service.d", "a-b-c.service.d"]),
            ("a@1", "a@", ["a@.service.d", "a@1.service.d"]),
            ("a-b@1", "a-b@1", ["a-@1.service.d", "a-b@.service.d"]),
            ("a", "a", ["service.d", "a.service.d"]),
        ])
    func dropInsOfAShorterNameHaveLowerPriority(unit: String, file: String, directories: [String]) throws {
        try write("/usr/lib/systemd/system/\(file).service", "mixed")
        for directory in directories {
            let path = "/run/systemd/system/\(directory)/x.conf"
            try write(path, directory)

            #expect(findings(unit) == ["\(path):4:1: warning: KillMode=\(directory)"])
        }
    }

    @Test func dropInForAllServicesHasTheLowestPriority() throws {
        try write("/usr/lib/systemd/system/a.service", "mixed")
        try write("/etc/systemd/system/service.d/x.conf", "all")
        try write("/usr/lib/systemd/system/a.service.d/x.conf", "one")

        #expect(
            findings("a") == ["/usr/lib/systemd/system/a.service.d/x.conf:4:1: warning: KillMode=one"])
    }

    @Test func unreadableDirectoryIsReported() throws {
        try write("/usr/lib/systemd/system/a.service", "mixed")
        try directory.write("/etc/systemd/system/a.service.d", "")

        #expect(
            findings("a") == [
                "/etc/systemd/system/a.service.d:1:1: error: unable to read '/etc/systemd/system/a.service.d': "
                    + "Not a directory (ENOTDIR)"
            ])
    }
}
