// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

extension Duration {
    /// Whole milliseconds, for texts.
    nonisolated var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
