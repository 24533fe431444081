// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Reads files for the configuration. `SystemFileReader` is the real one.
package nonisolated protocol ConfigurationFileReader: Sendable {
    /// The first `limit` bytes of a file; none for a link to /dev/null.
    func read(_ path: String, limit: Int) throws(FileProblem) -> [UInt8]

    /// The names in a directory, in any order.
    func names(in directory: String) throws(FileProblem) -> [String]
}
