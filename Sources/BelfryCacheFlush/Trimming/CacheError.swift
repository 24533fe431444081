// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux

/// Why a cache was not flushed.
package nonisolated struct CacheError: Error, Sendable, Equatable {
    /// The kinds of errors.
    package nonisolated enum Code: Sendable, Equatable {
        /// The path is relative, the root directory, or contains `..`.
        case path
        /// The path names a symbolic link.
        case link
        /// Another file system is mounted on the path.
        case mountPoint
        /// There is no CACHEDIR.TAG.
        case tagMissing
        /// CACHEDIR.TAG is a link, a directory or a special file.
        case tagNotRegular
        /// CACHEDIR.TAG does not begin with the signature.
        case tagSignature
        /// A system call failed; see `cause`.
        case system
    }

    package let code: Code

    /// The path of the cache as configured.
    package let path: String

    /// The failed call, for `system`.
    package let cause: SystemError?

    /// An error.
    package init(_ code: Code, path: String, cause: SystemError? = nil) {
        self.code = code
        self.path = path
        self.cause = cause
    }
}

nonisolated extension CacheError: CustomStringConvertible {
    /// `unable to trim '/var/cache/x': it holds no CACHEDIR.TAG`, without a final stop.
    package var description: String {
        let object = SystemError.escape(path)
        return switch code {
        case .path: "unable to flush '\(object)': the path must be absolute, below '/' and without '..'"
        case .link: "unable to flush '\(object)': it is a symbolic link, name the directory itself"
        case .mountPoint: "unable to flush '\(object)': it is a mount point, name a directory below it"
        case .tagMissing: "unable to trim '\(object)': it holds no CACHEDIR.TAG"
        case .tagNotRegular: "unable to trim '\(object)': its CACHEDIR.TAG is not a regular file"
        case .tagSignature: "unable to trim '\(object)': its CACHEDIR.TAG does not begin with '\(CacheTag.signature)'"
        case .system: cause?.description ?? "unable to flush '\(object)'"
        }
    }
}

/// An error number that is thrown to a caller who knows the verb and the object of the message.
nonisolated struct Errno: Error, Equatable {
    /// Positive, as in errno(3).
    let code: Int32

    /// From an error number or a negated one.
    init(_ code: Int32) {
        self.code = abs(code)
    }
}
