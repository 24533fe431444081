// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import Testing

struct MountTableTests {
    @Test(arguments: [
        ("36 35 98:0 / /srv rw,noatime master:1 - ext3 /dev/root rw,errors=continue", "/", "/srv", "ext3"),
        ("36 35 98:0 /a /b rw - tmpfs tmpfs rw", "/a", "/b", "tmpfs"),
        ("36 35 98:0 / /srv rw shared:1 master:2 propagate_from:3 - xfs /dev/a rw", "/", "/srv", "xfs"),
        (#"36 35 98:0 / /the\040vault rw - fuse.x y rw"#, "/", "/the vault", "fuse.x"),
        (#"36 35 98:0 / /\303\244\011\012\134040 rw - a b"#, "/", "/ä\t\n\\040", "a"),
        (#"36 35 98:0 / /a\8b\04 rw - a b"#, "/", #"/a\8b\04"#, "a"),
        (#"36 35 98:0 / /a\777 rw - a b"#, "/", #"/a\777"#, "a"),
    ])
    func mountIsRead(line: String, root: String, point: String, type: String) {
        let mounts = MountTable(line + "\n").mounts

        #expect(mounts.map(\.root) == [root] && mounts.map(\.point) == [point] && mounts.map(\.type) == [type])
    }

    @Test(arguments: [
        "", "\n\n", "36", "36 35 98:0 / /srv rw", "36 35 98:0 / /srv rw ext3 /dev/root rw", "36 35 98:0 / /srv rw -",
        "36 35 98:0 srv /srv rw - a b", "36 35 98:0 / srv rw - a b", "- - - - - - - -",
    ])
    func malformedLineIsSkipped(text: String) {
        #expect(MountTable(text).mounts.isEmpty)
    }

    @Test func linesAfterAMalformedOneAreRead() {
        let table = MountTable(
            "rubbish\n1 2 0:1 / /a rw - t s rw\n\u{0}\n1 2 0:1 / /b rw - t s rw\n1 2 0:1 / /a rw - t s")

        #expect(table.mounts.map(\.point) == ["/a", "/b", "/a"])
        #expect(table.points(among: ["/b", "/c", "/a"]) == ["/a", "/b"])
    }
}
