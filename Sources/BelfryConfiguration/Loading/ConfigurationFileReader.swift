// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Glibc
import CBelfry

/// Reads files for the configuration. `SystemFileReader` is the real one.
package nonisolated protocol ConfigurationFileReader: Sendable {
    /// The first `limit` bytes of a file; none for a link to /dev/null.
    func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8]

    /// The names in a directory, in any order.
    func names(in directory: String) throws(FileProblem) -> [String]
}

nonisolated extension ConfigurationFileReader {
    /// The files `*.conf` of these directories in the order of their names; of those with one name that in the first
    /// directory. A directory that is not there has none; `problem` hears of one that cannot be read.
    func dropIns(in directories: [String], problem: (String, FileProblem) -> Void) -> [String] {
        var paths: [UTF8Text: String] = [:]
        for directory in directories {
            do throws(FileProblem) {
                for name in try names(in: directory)
                where name.utf8.suffix(5).elementsEqual(".conf".utf8) && name.utf8.first != UInt8(ascii: ".") {
                    let key = UTF8Text(name)
                    paths[key] = paths[key] ?? "\(directory)/\(name)"
                }
            } catch {
                if !error.isMissing { problem(directory, error) }
            }
        }
        return paths.sorted { $0.key < $1.key }.map(\.value)
    }
}

/// Why a file or directory could not be read.
package nonisolated struct FileProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The error number (errno(3)).
    package let code: CInt

    /// A problem with this error number.
    package init(code: CInt) {
        self.code = code
    }

    /// Whether there is no such file.
    var isMissing: Bool { code == ENOENT }

    /// The system's words for it and its name: `Permission denied (EACCES)`.
    package var description: String {
        let text = belfry_error_text(code).map { String(cString: $0) } ?? "unknown error"
        let name = belfry_error_name(code).map { String(cString: $0) } ?? "\(code)"
        return "\(text) (\(name))"
    }
}
