// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc
import Testing

@testable import BelfrySystemd

struct ProcessUnitTests {
    @Test(arguments: [
        ("0::/system.slice/belfryd.service\n", "belfryd.service", false),
        ("0::/system.slice/system-getty.slice/getty@tty1.service\n", "getty@tty1.service", false),
        ("0::/user.slice/user-1000.slice/session-3.scope\n", "session-3.scope", false),
        (
            "0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.slice/belfryd.service\n",
            "belfryd.service", true
        ),
        ("0::/user.slice/user-1000.slice/user@1000.service/init.scope\n", "init.scope", true),
        ("0::/user.slice/user-1000.slice/user@1000.service\n", "user@1000.service", false),
        ("0::/init.scope\n", "init.scope", false),
        ("0::/system.slice/foo.service/worker/1\n", "foo.service", false),
        ("0::/system.slice/_cpu.service\n", "cpu.service", false),
        ("0::/system.slice/a\\x2db.mount\n", "a\\x2db.mount", false),
        ("12:cpu:/other\n1:name=systemd:/system.slice/foo.service\n", "foo.service", false),
        ("9:name=systemd:/\n0::/system.slice/foo.service\n", "foo.service", false),
    ])
    func unitOfAControlGroupIsFound(text: String, name: String, isOfUser: Bool) throws {
        #expect(ProcessUnit.rootOfUnits(Array("0::/init.scope\n".utf8)).isEmpty && ProcessUnit.rootOfUnits(nil).isEmpty)
        let unit = try #require(ProcessUnit(group: Array(text.utf8), below: []))

        #expect(unit.name == name)
        #expect(unit.isOfUser == isOfUser)
    }

    @Test(arguments: [
        ("system.slice/system-a.slice/a@b.service", false), ("system.slice/a@b.service/run-1", true),
        ("system.slice/a@b.service/a@b.service", true), ("user.slice/user-7.slice/user@7.service/a@b.service", false),
        ("user.slice/user-7.slice/user@7.service/app.slice/a@b.service/run-1", true),
    ])
    func aDelegatedGroupIsBelowItsUnit(path: String, isBelow: Bool) {
        #expect(ProcessUnit(group: Array("0::/\(path)\n".utf8), below: [])?.isBelow == isBelow)
    }

    @Test(arguments: [
        "", "0::/\n", "0::/system.slice\n", "0::/docker/abc\n", "0::/system.slice/.service\n", "0::/@x.service\n",
        "0::/system.slice/a b.service\n", "0::/system.slice/\u{301}.service\n", "nonsense",
        "1:cpu:/system.slice/a.service\n",
    ])
    func otherControlGroupHasNoUnit(text: String) {
        #expect(ProcessUnit(group: Array(text.utf8), below: []) == nil)
    }

    @Test func controlGroupOfTheManagerIsRemoved() {
        let group = Array("0::/machine.slice/box.scope/system.slice/foo.service\n".utf8)

        func root(_ ofInit: String) -> [ArraySlice<UInt8>] { ProcessUnit.rootOfUnits(Array(ofInit.utf8)) }
        let unit = ProcessUnit(group: group, below: root("0::/machine.slice/box.scope/init.scope\n"))

        #expect(unit?.name == "foo.service")
        #expect(ProcessUnit(group: group, below: root("0::/elsewhere/init.scope\n")) == nil)
    }

    @Test func unitsOfAllProcessesMatchSystemd() throws {
        let directory = try #require(opendir("/proc"))
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let pid = Int32(name) else { continue }

            let expected = unitBySystemd(sd_pid_get_user_unit, pid) ?? unitBySystemd(sd_pid_get_unit, pid)
            let found = ProcessUnit.of(pid)

            // A process may have ended, or have been moved, in between.
            guard expected == (unitBySystemd(sd_pid_get_user_unit, pid) ?? unitBySystemd(sd_pid_get_unit, pid)) else {
                continue
            }
            if kill(pid, 0) == 0 { #expect(found?.name == expected, "process \(pid)") }
        }
    }

    private func unitBySystemd(
        _ ask: (pid_t, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> Int32, _ pid: Int32
    ) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ask(pid, &text) >= 0, let text else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
