// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryEventLoop
package import BelfryLinux
internal import Glibc
package import Lifecycle

/// Posts `protectedDataDidBecomeAvailable` and `protectedDataWillBecomeUnavailable` when something is mounted on a
/// path and when nothing is any more. Without paths nothing is watched.
package final class ProtectedDataSource {
    private static let table = "/proc/self/mountinfo"
    private let loop: MainEventLoop
    private let mediator: LifecycleMediator
    private var source: DescriptorEventSource?
    private var paths: [String] = []
    private var mounted: Set<String> = []

    /// Makes a source that watches nothing yet.
    package init(loop: MainEventLoop, mediator: LifecycleMediator) {
        self.loop = loop
        self.mediator = mediator
    }

    /// Watches these paths in place of the previous ones. Nothing is posted for what is mounted already.
    package func apply(_ paths: [String]) throws(SystemError) {
        if source != nil { check() }
        self.paths = paths
        guard !paths.isEmpty else { return (source, mounted) = (nil, []) }
        if source == nil { try begin() }
        mounted = try points()
    }

    private func begin() throws(SystemError) {
        let table = open(Self.table, O_RDONLY | O_CLOEXEC)
        guard table >= 0 else { throw .last(verb: "open", object: Self.table) }
        source = try loop.source(owning: OwnedDescriptor(owning: table), .priority) { [unowned self] _ in check() }
    }

    private func check() {
        guard let now = try? points() else { return }
        let before = mounted
        mounted = now
        for path in paths where before.contains(path) && !now.contains(path) {
            mediator.post(ProtectedDataLoss(path: path))
        }
        for path in paths where now.contains(path) && !before.contains(path) {
            mediator.post(ProtectedDataArrival(path: path))
        }
    }

    /// Those of the paths that something is mounted on.
    private func points() throws(SystemError) -> Set<String> {
        MountTable(try KernelFile.text(Self.table)).points(among: paths)
    }
}

/// The mounts of this process (`/proc/self/mountinfo`, proc(5)). Invalid lines are left out.
package nonisolated struct MountTable: Sendable, Equatable {
    /// One mount.
    package struct Mount: Sendable, Equatable {
        /// The directory of the file system that is its root here.
        package let root: String
        /// Where it is mounted, as this process sees it.
        package let point: String
        /// The type of the file system.
        package let type: String
    }

    /// In the order in which they were mounted.
    package let mounts: [Mount]

    /// Reads the text of the file.
    package init(_ text: String) {
        mounts = text.utf8.split(separator: UInt8(ascii: "\n")).compactMap(Self.mount)
    }

    /// Those of `paths` that something is mounted on, compared by bytes: any user may mount a FUSE file system on a
    /// path of his choice.
    package func points(among paths: [String]) -> Set<String> {
        Set(paths.filter { path in mounts.contains { $0.point.utf8.elementsEqual(path.utf8) } })
    }

    /// `36 35 98:0 /root /point options optional… - type source super-options`; there may be no optional field.
    private static func mount(_ line: Substring.UTF8View) -> Mount? {
        let fields = line.split(separator: UInt8(ascii: " "))
        guard let dash = fields.dropFirst(6).firstIndex(where: { Substring($0) == "-" }), dash + 1 < fields.count
        else { return nil }
        let (root, point) = (unescaped(fields[3]), unescaped(fields[4]))
        guard root.hasPrefix("/"), point.hasPrefix("/") else { return nil }
        return Mount(root: root, point: point, type: unescaped(fields[dash + 1]))
    }

    /// The kernel writes space, tab, newline and backslash as three octal digits. A backslash without them stays.
    private static func unescaped(_ field: Substring.UTF8View) -> String {
        guard field.contains(UInt8(ascii: "\\")) else { return String(Substring(field)) }
        var bytes: [UInt8] = []
        var rest = field
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3, digits.allSatisfy({ (0x30...0x37).contains($0) }),
                let code = UInt8(Substring(digits), radix: 8)
            {
                bytes.append(code)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
