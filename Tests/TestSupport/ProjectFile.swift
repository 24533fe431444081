// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Foundation

/// A file or directory of this package.
public nonisolated enum ProjectFile {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// The location of a path below the root of the package.
    public static func url(_ path: String) -> URL { root.appending(path: path) }
}
