// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Foundation

/// A directory of a test's own, gone with it.
public final class TemporaryDirectory {
    /// Where it is.
    public let url: URL

    /// Makes one.
    public init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    }

    isolated deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of an entry.
    public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// Writes a file, and returns its path.
    @discardableResult
    public func write(_ name: String, _ text: String) throws -> String {
        try Data(text.utf8).write(to: url.appendingPathComponent(name))
        return path(name)
    }
}
