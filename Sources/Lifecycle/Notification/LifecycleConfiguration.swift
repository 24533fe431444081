// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A configuration as listeners see it: settings by their type. Each listener takes out its own.
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
