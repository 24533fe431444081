// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Something a listener offers to do when it is asked by name, as an app offers shortcut items.
public nonisolated struct LifecycleAction: Sendable, Equatable {
    /// What it is asked for by.
    public let id: String
    /// What it does, in a line for people.
    public let title: String

    /// An action.
    public init(_ id: String, title: String) {
        self.id = id
        self.title = title
    }
}
