// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// Lists directories.
package nonisolated enum DirectoryContent {
    /// The names in a directory, in any order. Names that are not UTF-8 contain replacement characters.
    package static func names(in directory: String) throws(SystemError) -> [String] {
        guard let stream = opendir(directory) else { throw .last(verb: "read", object: directory) }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            names.append(name)
        }
        guard errno == 0 else { throw .last(verb: "read", object: directory) }
        return names
    }
}
