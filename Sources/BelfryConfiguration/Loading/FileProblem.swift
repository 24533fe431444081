// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CSystemd
import Glibc

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
