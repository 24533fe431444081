// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A configuration: settings by their type. Each listener reads its own type.
public nonisolated struct LifecycleConfiguration: Sendable {
    private var settings: [ObjectIdentifier: any Sendable] = [:]

    /// A configuration without settings.
    public init() {}

    /// The settings of one type; nil when the configuration has none.
    public subscript<Settings: Sendable>(_ type: Settings.Type) -> Settings? {
        get { settings[ObjectIdentifier(type)] as? Settings }
        set { settings[ObjectIdentifier(type)] = newValue }
    }
}

/// Thrown when a new configuration cannot be read.
public nonisolated struct LifecycleReloadError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The problems, one line each, for the operator.
    public let reasons: [String]

    /// An error with these problems.
    public init(_ reasons: [String]) { self.reasons = reasons }

    /// The reasons, one line each.
    public var description: String { reasons.joined(separator: "\n") }
}
