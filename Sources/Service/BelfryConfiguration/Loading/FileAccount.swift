// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc

/// A user whose access to files is checked by owner, group and mode, before a process of that user needs it.
package nonisolated struct FileAccount: Sendable {
    /// What the user wants of a file.
    package enum Use: String, Sendable {
        case read, run = "execute"

        /// The bit of the mode that allows it to others.
        fileprivate var bit: UInt32 { self == .read ? 4 : 1 }
    }

    /// What messages call it.
    private let name: String
    /// Nil for a user that owns no file yet (`DynamicUser=` in systemd.exec(5)).
    private let uid: UInt32?
    private let groups: Set<UInt32>

    /// A user with these groups.
    package init(_ name: String, uid: UInt32?, groups: Set<UInt32>) {
        (self.name, self.uid, self.groups) = (name, uid, groups)
    }

    /// Why the user cannot use the file; nil if nothing is in the way. A file with an access control list (acl(5)) is
    /// left out.
    package func problem(_ use: Use, _ path: String) -> String? {
        guard uid != 0 else { return nil }
        let bytes = Array(path.utf8)
        for (place, byte) in bytes.enumerated() where byte == UInt8(ascii: "/") && place > 0 {
            let directory = String(decoding: bytes[..<place], as: UTF8.self)
            if let denial = denial(of: Use.run.bit, directory) { return "\(name) cannot look into \(denial)" }
        }
        if let denial = denial(of: use.bit, path) { return "\(name) cannot \(use.rawValue) \(denial)" }
        // The way to what a link leads to.
        guard let target = realpath(path, nil) else { return nil }
        defer { free(target) }
        return strcmp(target, path) == 0 ? nil : problem(use, String(cString: target))
    }

    private func denial(of bit: UInt32, _ path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0, !belfry_has_access_list(path) else { return nil }
        let shift: UInt32 = status.st_uid == uid ? 6 : groups.contains(status.st_gid) ? 3 : 0
        guard status.st_mode >> shift & bit == 0 else { return nil }
        let mode = "0" + String(status.st_mode & 0o7777, radix: 8)
        return "\(DisplayText.quoted(path)), of user \(status.st_uid) and group \(status.st_gid) with mode \(mode)"
    }
}
