// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// Why a cache was not flushed.
package nonisolated struct CacheError: Error, Sendable, Equatable, CustomStringConvertible {
    /// `unable to trim '/var/cache/x': it holds no CACHEDIR.TAG`, without a final stop.
    package let description: String

    /// A failed system call: `unable to VERB 'PATH': …`.
    init(_ error: Errno, _ verb: String, _ path: String) {
        description = SystemError(error.code, verb: verb, object: path).description
    }

    private init(_ verb: String, _ path: String, _ reason: String) {
        description = "unable to \(verb) '\(SystemError.escape(path))': \(reason)"
    }

    /// A path that is relative, the root directory, or contains `..`.
    package static func path(_ path: String) -> Self {
        Self("flush", path, "the path must be absolute, below '/' and without '..'")
    }

    /// The path of a symbolic link.
    package static func link(_ path: String) -> Self {
        Self("flush", path, "it is a symbolic link, name the directory itself")
    }

    /// The path of a mount point.
    package static func mountPoint(_ path: String) -> Self {
        Self("flush", path, "it is a mount point, name a directory below it")
    }

    /// A pattern that matches more directories than are flushed.
    static func tooManyDirectories(_ path: String, _ most: Int) -> Self {
        Self("flush", path, "it matches more than \(most) directories")
    }

    /// A directory without CACHEDIR.TAG.
    package static func tagMissing(_ path: String) -> Self { Self("trim", path, "it holds no CACHEDIR.TAG") }

    /// A directory whose CACHEDIR.TAG is a link, a directory or a special file.
    package static func tagNotRegular(_ path: String) -> Self {
        Self("trim", path, "its CACHEDIR.TAG is not a regular file")
    }

    /// A directory whose CACHEDIR.TAG does not begin with the signature.
    package static func tagSignature(_ path: String) -> Self {
        Self("trim", path, "its CACHEDIR.TAG does not begin with '\(CacheTag.signature)'")
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
