// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// The systemd unit that a process belongs to, by its control group.
///
/// systemd names control groups after units (systemd.unit(5), cgroups(7)). `sd_pid_get_unit(3)` finds the same, but
/// with some thirty system calls, and it must be asked twice.
package nonisolated struct ProcessUnit: Sendable, Equatable {
    /// The unit's name.
    package let name: String
    /// Whether it is a unit of a user's service manager.
    package let isOfUser: Bool
    /// Whether the process is in a control group below that of the unit, which was delegated to the unit's user.
    package let isBelow: Bool

    /// The unit of `pid`; nil when the process is gone, in no unit, or outside our view.
    package static func of(_ pid: Int32) -> ProcessUnit? {
        guard pid > 0, let group = KernelFile.beginning(of: "/proc/\(pid)/cgroup", limit: 8192) else { return nil }
        return ProcessUnit(group: group, below: ownRoot)
    }

    private static let ownRoot = rootOfUnits(KernelFile.beginning(of: "/proc/1/cgroup", limit: 8192))

    /// The control group of the service manager, by the content of `/proc/1/cgroup`: the units of a container's manager
    /// are below its own, which is not the root where the container has no namespace for control groups.
    static func rootOfUnits(_ ofInit: [UInt8]?) -> [ArraySlice<UInt8>] {
        var root = ofInit.flatMap(path) ?? []
        if root.last?.elementsEqual("init.scope".utf8) == true { root.removeLast() }
        return root
    }

    /// The unit by the content of `/proc/PID/cgroup`.
    init?(group: [UInt8], below root: [ArraySlice<UInt8>]) {
        guard let path = Self.path(group), path.starts(with: root, by: { $0.elementsEqual($1) }) else { return nil }
        let groups = Self.skipSlices(path[root.count...])
        guard let first = groups.first else { return nil }
        let ofUser = Self.skipSlices(groups.dropFirst())
        if first.starts(with: "user@".utf8), let name = ofUser.first.flatMap(Self.name) {
            (self.name, isOfUser, isBelow) = (name, true, ofUser.count > 1)
        } else if let name = Self.name(first) {
            (self.name, isOfUser, isBelow) = (name, false, groups.count > 1)
        } else {
            return nil
        }
    }

    /// The names of the control groups from the root on: in the unified hierarchy, or where there is none in that of
    /// systemd.
    private static func path(_ file: [UInt8]) -> [ArraySlice<UInt8>]? {
        var (rest, ofSystemd) = (file[...], [ArraySlice<UInt8>]?.none)
        while let line = rest.firstIndex(of: UInt8(ascii: "\n")).map({ rest[..<$0] }) ?? (rest.isEmpty ? nil : rest) {
            rest = rest[line.endIndex...].dropFirst()
            if hasPrefix(line, "0::") { return line.dropFirst(3).split(separator: UInt8(ascii: "/")) }
            let name = line.drop { $0 != UInt8(ascii: ":") }
            guard ofSystemd == nil, hasPrefix(name, ofV1) else { continue }
            ofSystemd = name.dropFirst(ofV1.utf8CodeUnitCount).split(separator: UInt8(ascii: "/"))
        }
        return ofSystemd
    }

    private static let ofV1: StaticString = ":name=systemd:"

    private static func skipSlices(_ groups: ArraySlice<ArraySlice<UInt8>>) -> ArraySlice<ArraySlice<UInt8>> {
        groups.drop { hasSuffix($0, ".slice") && name($0) != nil }
    }

    /// The name of the unit with this control group, or nil if there is none. systemd puts an underscore in front of a
    /// name that could be one of the kernel's files.
    private static func name(_ group: ArraySlice<UInt8>) -> String? {
        let name = group.first == UInt8(ascii: "_") ? group.dropFirst() : group
        guard name.count < 256, name.allSatisfy({ $0.isLetterOrDigit || ":-_.\\@".utf8.contains($0) }),
            types.contains(where: { hasSuffix(name, $0) }),
            let first = name.first, first != UInt8(ascii: "."), first != UInt8(ascii: "@")
        else { return nil }
        return String(decoding: name, as: UTF8.self)
    }

    private static let types: [StaticString] = [
        ".service", ".scope", ".slice", ".socket", ".mount", ".swap", ".target", ".timer", ".path", ".device",
        ".automount",
    ]

    private static func hasPrefix(_ text: ArraySlice<UInt8>, _ prefix: StaticString) -> Bool {
        prefix.withUTF8Buffer { text.prefix($0.count).elementsEqual($0) }
    }

    private static func hasSuffix(_ text: ArraySlice<UInt8>, _ suffix: StaticString) -> Bool {
        text.count >= suffix.utf8CodeUnitCount
            && suffix.withUTF8Buffer { text.suffix($0.count).elementsEqual($0) }
    }
}
