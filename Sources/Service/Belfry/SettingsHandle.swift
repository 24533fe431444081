// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryJSON
public import Lifecycle
internal import Synchronization

/// Settings that the service has declared with `BelfryService.settings`. Any thread may read them, such as that of a
/// request handler.
public nonisolated struct SettingsHandle<Settings: Sendable>: Sendable {
    private final class Current: Sendable {
        let settings: Mutex<Settings>

        init(_ first: Settings) { settings = Mutex(first) }
    }

    private let current: Current

    /// Puts settings into effect in a mediator, for tests of listeners. A service gets its handle from
    /// `BelfryService.settings(_:section:)`.
    @MainActor public init(_ first: Settings, in mediator: LifecycleMediator) {
        mediator.configuration[Settings.self] = first
        current = Current(first)
        _ = mediator.addEventObserver(for: .transitionEnded) { [current, unowned mediator] _ in
            guard let settings = mediator.configuration[Settings.self] else { return }
            current.settings.withLock { $0 = settings }
        }.lasting()
    }

    /// The settings in effect. A reload replaces them when every listener has accepted `didReload`.
    public var value: Settings { current.settings.withLock { $0 } }

    /// The settings that a notification carries: the new ones in `willReload` and `didReload`, and the old ones in
    /// `didFailToReload`. In any other notification, and in a `willReload` whose configuration could not be read, those
    /// in effect.
    public func value(in notification: LifecycleNotification) -> Settings {
        notification.configuration?[Settings.self] ?? value
    }
}

extension BelfryService {
    /// Declares settings of the service: a section of its configuration files, decoded into its own type.
    ///
    /// They are decoded now, at each reload, and for `--check-config` and `--print-config`. The property `sizeMax` is
    /// set by `SizeMax=`. Besides strings, booleans, numbers and `Duration`, properties may be `ByteSize`, enumerations
    /// of strings, arrays (a list of words), and optionals of these, for keys that need not be set.
    ///
    /// - Parameters:
    ///   - type: each type can be declared once. It belongs to no actor: write `nonisolated` in a module on the main
    ///     actor.
    ///   - section: the name in the brackets.
    /// - Throws: an error that ends the process with 78 if `compose` passes it on: the section is invalid. Or one that
    ///   ends it with 71: the declaration comes after `compose`, is made twice, or names a section of Belfry.
    public func settings<Settings: Decodable & Sendable>(
        _ type: Settings.Type, section: String
    ) throws -> SettingsHandle<Settings> {
        try declare(type, section: section) { $0.decode { SectionDecoder.decode(type, section: section, of: $0) } }
    }

    /// Declares settings with defaults: a key that is not set has the value that it has in `defaults`.
    ///
    ///     let settings = try service.settings(ThumbSettings(), section: "Thumb")
    ///
    /// - Throws: as the form with a type, and the error of a value in `defaults` that cannot be encoded as JSON.
    public func settings<Settings: Codable & Sendable>(
        _ defaults: Settings, section: String
    ) throws -> SettingsHandle<Settings> {
        let presets = try Self.presets(defaults)
        return try declare(Settings.self, section: section) {
            $0.decode { SectionDecoder.decode(Settings.self, presets, section: section, of: $0) }
        }
    }

    /// Declares settings that a service has several times, in sections with a name: `[Share photos]`, `[Share music]`.
    ///
    /// - Parameters:
    ///   - defaults: the values of keys that are not set.
    ///   - sections: the first word in the brackets.
    /// - Returns: the settings by the second word in the brackets.
    /// - Throws: as the form with one section.
    public func settings<Settings: Codable & Sendable>(
        _ defaults: Settings, sections: String
    ) throws -> SettingsHandle<[String: Settings]> {
        let presets = try Self.presets(defaults)
        return try declare([String: Settings].self, section: sections) {
            $0.decode { SectionDecoder.decodeAll(Settings.self, presets, sections: sections, of: $0) }
        }
    }

    /// Calls a handler after each reload that every listener has accepted, for as long as the service runs. Settings
    /// that were declared before have their new values, which nobody can refuse any more.
    ///
    ///     service.observeReloads { pool.resize(to: settings.value.connections) }
    ///
    /// - Returns: the observation, to end it early with `cancel()`. To release it has no effect.
    @discardableResult
    public func observeReloads(using handler: @escaping () -> Void) -> LifecycleObservation {
        mediator.addEventObserver(for: .transitionEnded) {
            guard case .transitionEnded(let report) = $0, report.result == .completed,
                report.notifications.last?.notification.name == .didReload
            else { return }
            handler()
        }.lasting()
    }

    private func declare<Settings: Sendable>(
        _ type: Settings.Type, section: String, _ read: @escaping (ConfigurationReading) -> Settings?
    ) throws -> SettingsHandle<Settings> {
        SettingsHandle(try reader.declare(type, section: section, read: read), in: mediator)
    }

    /// The values of settings by their keys.
    private static func presets(_ defaults: some Encodable) throws -> JSONObject {
        guard case .object(let presets) = try JSONValueEncoder().encode(defaults) else {
            throw SettingsDeclarationError("the defaults '\(defaults)' have no properties")
        }
        return presets
    }
}
