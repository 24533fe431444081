// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux

/// Why a cache was not flushed.
package nonisolated struct CacheError: Error, Sendable, Equatable {
    /// The kinds of refusal.
    package nonisolated enum Code: Sendable, Equatable {
        /// The path is relative, the root directory, or has a `..` in it.
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
        /// The system refused; `cause` says why.
        case system
    }

    /// What kind of refusal it is.
    package let code: Code

    /// The path of the cache as configured.
    package let path: String

    /// The failed call, for `system`.
    package let cause: SystemError?

    /// Makes an error.
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

/// An error number on its way to somebody who knows what it was about.
nonisolated struct Errno: Error, Equatable {
    /// Positive, as in errno(3).
    let code: Int32

    /// Takes an error number or a negated one.
    init(_ code: Int32) {
        self.code = abs(code)
    }
}
