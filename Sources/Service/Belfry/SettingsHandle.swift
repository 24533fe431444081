// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// Settings that the service has declared with `BelfryService.settings`.
@MainActor public struct SettingsHandle<Settings: Sendable> {
    /// Weak, because listeners store their handles, and the mediator its listeners.
    private weak var mediator: LifecycleMediator?
    private let first: Settings

    /// Puts settings into effect in a mediator, for tests of listeners. A service gets its handle from
    /// `BelfryService.settings(_:section:)`.
    public init(_ first: Settings, in mediator: LifecycleMediator) {
        (self.first, self.mediator) = (first, mediator)
        mediator.configuration[Settings.self] = first
    }

    /// The settings in effect. A reload replaces them when every listener has accepted `didReload`. If the mediator no longer
    /// exists, because a handle does not keep it, these are the settings of the start.
    public var value: Settings { mediator?.configuration[Settings.self] ?? first }

    /// The settings that a notification carries: the new ones in `willReload` and `didReload`, and the old ones in
    /// `didFailToReload`. In any other notification, and in a `willReload` whose configuration could not be read, those in
    /// effect.
    public func value(in notification: LifecycleNotification) -> Settings {
        notification.configuration?[Settings.self] ?? value
    }
}

extension BelfryService {
    /// Declares settings of the service: a section of its configuration files, decoded into its own type.
    ///
    /// They are decoded now, at each reload, and for `--check-config` and `--print-config`. The property `sizeMax` is set by
    /// `SizeMax=`. Besides strings, booleans, numbers and `Duration`, properties may be `ByteSize`, enumerations of
    /// strings, arrays (a list of words), and optionals of these, for keys that need not be set.
    ///
    /// - Parameters:
    ///   - type: each type can be declared once. It belongs to no actor: write `nonisolated` in a module on the main actor.
    ///   - section: the name in the brackets.
    /// - Throws: an error that ends the process with 78 if `compose` passes it on: the section is invalid. Or one that ends it
    ///   with 71: the declaration comes after `compose`, is made twice, or names a section of Belfry.
    public func settings<Settings: Decodable & Sendable>(
        _ type: Settings.Type, section: String
    ) throws -> SettingsHandle<Settings> {
        try declare(type, section: section) { $0.decode(type, section: section) }
    }

    /// Declares settings of the service that have files of their own.
    ///
    /// - Parameters:
    ///   - type: each type can be declared once.
    ///   - read: reads and checks the files, now and at each reload. Its errors refuse the configuration; their description
    ///     should name the file and the line. `LifecycleReloadError` has several.
    /// - Throws: as `settings(_:section:)`.
    public func settings<Settings: Sendable>(
        _ type: Settings.Type, _ read: @escaping () throws -> Settings
    ) throws -> SettingsHandle<Settings> {
        try declare(type, section: nil) { $0.call(type, read) }
    }

    private func declare<Settings: Sendable>(
        _ type: Settings.Type, section: String?, _ read: @escaping (ConfigurationReading) -> Settings?
    ) throws -> SettingsHandle<Settings> {
        SettingsHandle(try reader.declare(type, section: section, read: read), in: mediator)
    }
}
