// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// An error number on its way to somebody who knows what it was about.
nonisolated struct Errno: Error, Equatable {
    /// Positive, as in errno(3).
    let code: Int32

    /// Takes an error number or a negated one.
    init(_ code: Int32) {
        self.code = abs(code)
    }
}
