// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryConfiguration
import Glibc
import Testing

struct GroupNumberTests {
    private static let file = "/etc/group"

    /// The configuration with a group, or with the default, on a system with this /etc/group.
    private func find(_ group: String?, _ content: String) -> LoadedConfiguration { find(group, [Self.file: content]) }

    private func find(
        _ group: String?, _ files: [String: String], failing: [String: CInt] = [:]
    ) -> LoadedConfiguration {
        MemoryFiles.load(group.map { "[Socket]\nGroup=\($0)\n" } ?? "")
            .findingGroup(reader: MemoryFiles(files, failing: failing))
    }

    private func problems(_ loaded: LoadedConfiguration) -> [String] { loaded.diagnostics.map(\.description) }

    @Test(arguments: [("shop" as String?, 60 as UInt32), ("root", 0), (nil, 70)])
    func nameIsFoundInTheFile(group: String?, number: UInt32) {
        let found = find(group, "root:x:0:\nbelfry:!:70:ann,bob\nshops:x:61:\nshop:x:60:\nshop:x:62:")

        #expect(found.settings?.socket.groupNumber == number)
        #expect(problems(found) == [])
    }

    @Test func numberNeedsNoFile() {
        let found = find("4711", [:], failing: [Self.file: EACCES])

        #expect(found.settings?.socket.groupNumber == 4711)
        #expect(problems(found) == [])
    }

    @Test func malformedLinesAreIgnored() {
        let lines = ["", ":", "shop", "shop:x", "shop:x::", "shop:x:one:", "shop:x:-1:", "shop:x:4294967296:", "+:::"]

        #expect(find("shop", (lines + ["shop:x:60:"]).joined(separator: "\n")).settings?.socket.groupNumber == 60)
        #expect(find("shop", lines.joined(separator: "\n")).settings?.socket.groupNumber == nil)
    }

    @Test func namesAreComparedAsBytes() {
        #expect(find("caf\u{E9}", "cafe\u{301}:x:60:\n").settings?.socket.groupNumber == nil)
        #expect(find("caf\u{E9}", "cafe\u{301}:x:60:\ncaf\u{E9}:x:61:\n").settings?.socket.groupNumber == 61)
    }

    @Test func nameThatIsNotInTheFileIsAWarning() {
        for files in [[Self.file: "root:x:0:\n"], [:]] {
            let found = find("shop-admins", files)
            #expect(found.settings != nil && found.settings?.socket.groupNumber == nil)
            #expect(found.diagnostics.map(\.severity) == [.warning])
        }
        #expect(
            problems(find("shop-admins", "root:x:0:\n")) == [
                "a.conf:2:1: warning: there is no group 'shop-admins' in /etc/group; a group of a directory service is "
                    + "named by its number"
            ])
    }

    @Test func theDefaultNeedNotExist() {
        #expect(problems(find(nil, "root:x:0:\n")) == [])
        #expect(problems(find("", "root:x:0:\n")) == [])
        #expect(problems(find(nil, [:])) == [])
        #expect(problems(find("belfry", "root:x:0:\n")).count == 1)
    }

    @Test func unreadableFileIsReported() {
        let reason = "warning: unable to read '/etc/group': Permission denied (EACCES)"

        #expect(problems(find("shop", [:], failing: [Self.file: EACCES])) == ["a.conf:2:1: \(reason)"])
        #expect(problems(find(nil, [:], failing: [Self.file: EACCES])) == ["/etc/group:1:1: \(reason)"])
    }

    @Test func fileIsReadUpToALimit() {
        let line = "shop:x:60:"
        let fits = String(repeating: "\n", count: (1 << 20) - 1 - line.utf8.count) + line

        #expect(find("shop", fits).settings?.socket.groupNumber == 60)
        #expect(find("shop", "\n" + fits).settings?.socket.groupNumber == nil)
        #expect(problems(find("shop", "\n" + fits)).first?.hasSuffix("File too large (EFBIG)") == true)
    }
}
