// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import Testing

struct ControlGroupTests {
    private let whole = "30 23 0:26 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw"

    @Test(arguments: [
        ("0::/system.slice/a.service\n", "/sys/fs/cgroup/system.slice/a.service"),
        ("9:name=systemd:/x\n0::/a\n", "/sys/fs/cgroup/a"), ("0::/\n", "/sys/fs/cgroup"),
    ])
    func groupIsFoundBelowItsMount(groups: String, directory: String) {
        #expect(ControlGroup.directory(groups: groups, mounts: MountTable(whole)) == directory)
    }

    @Test(arguments: ["", "9:name=systemd:/x\n", "0::\n", "0::x\n"])
    func groupIsNotFoundWithoutVersion2(groups: String) {
        #expect(ControlGroup.directory(groups: groups, mounts: MountTable(whole)) == nil)
        #expect(ControlGroup.directory(groups: "0::/a\n", mounts: MountTable("")) == nil)
    }

    @Test func mountOfASubtreeHoldsOnlyGroupsInside() {
        let part = MountTable("30 23 0:26 /b /cg rw - cgroup2 cgroup2 rw")

        #expect(ControlGroup.directory(groups: "0::/b/c\n", mounts: part) == "/cg/c")
        #expect(ControlGroup.directory(groups: "0::/b\n", mounts: part) == "/cg")
        #expect(ControlGroup.directory(groups: "0::/bc\n", mounts: part) == nil)
    }

    @Test func mountOfASingleFileIsIgnored() {
        let file = "31 30 0:26 /a/memory.pressure /sys/fs/cgroup/a/memory.pressure rw - cgroup2 cgroup2 rw"

        let directory = ControlGroup.directory(groups: "0::/a\n", mounts: MountTable(whole + "\n" + file))

        #expect(directory == "/sys/fs/cgroup/a")
    }
}
