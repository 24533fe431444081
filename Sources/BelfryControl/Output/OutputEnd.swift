// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The reader of standard output is gone, as `head` is after ten lines. That is no failure.
package nonisolated struct OutputEnd: Error {
    /// The end of the output.
    package init() {}
}
