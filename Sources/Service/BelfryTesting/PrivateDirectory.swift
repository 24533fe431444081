// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import Glibc

/// A new directory in `$TMPDIR` or `/tmp`, which is removed with all that is in it when this object is released.
final class PrivateDirectory {
    let path: String

    /// Makes it, with these directories in it.
    init(with names: String...) throws(SystemError) {
        let parent = Environment.variables["TMPDIR"] ?? "/tmp"
        var template = Array("\(parent)/belfry-test-\(String(repeating: "X", count: 6))".utf8CString)
        guard mkdtemp(&template) != nil else { throw .last(verb: "make a directory in", object: parent) }
        path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }  // not empty
        for name in names where mkdir("\(path)/\(name)", 0o700) != 0 { throw .last(verb: "make", object: name) }
    }

    isolated deinit { Self.remove(path) }

    /// Removes a file, or a directory with its content. A link is removed, and not followed.
    private static func remove(_ path: String) {
        guard unlink(path) != 0, errno == EISDIR else { return }
        for name in (try? DirectoryContent.names(in: path)) ?? [] where name != "." && name != ".." {
            remove("\(path)/\(name)")
        }
        rmdir(path)
    }
}
