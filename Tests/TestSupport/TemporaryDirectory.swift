// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Foundation

/// A private directory that is removed with the object.
public nonisolated final class TemporaryDirectory: Sendable {
    /// Its location.
    public let url: URL

    /// Creates the directory.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of an entry.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file, creates the directories above it, and returns its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        let file = url.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
        return file.path
    }
}
