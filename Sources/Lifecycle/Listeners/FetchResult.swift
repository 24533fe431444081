// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What became of a request for new data, as in UIKit's background fetch.
public nonisolated enum FetchResult: String, Sendable, CaseIterable {
    /// There is something new.
    case newData
    /// There is nothing new.
    case noData
    /// It could not be found out.
    case failed
}
