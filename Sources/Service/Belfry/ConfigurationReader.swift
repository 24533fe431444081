// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryListeners
internal import BelfrySystemd
internal import Lifecycle

/// Reads the configuration, at the start and for each reload.
///
/// At the start the files are read first, and the settings of the service when it declares them. A reload reads
/// everything at once.
final class ConfigurationReader {
    private let options: ServiceOptions
    private let components: [ServiceComponent]
    private let log: ServiceLog
    private var declarations: [SettingsDeclaration] = []
    /// What was read at the start; nil before it, and when the service has declared all its settings.
    private var start: ConfigurationReading?

    init(_ options: ServiceOptions, _ components: [ServiceComponent], log: ServiceLog) {
        self.options = options
        self.components = components
        self.log = log
    }

    /// Reads the files at the start.
    ///
    /// - Returns: the settings without those of the service; nil if there is an error.
    func begin() -> LifecycleConfiguration? {
        let reading = ConfigurationReading(options, components)
        start = reading
        return reading.isRefused ? nil : reading.configuration
    }

    /// The format of the log, also if the configuration has errors.
    var logFormat: RecordFormat { start?.loaded.decoded.logger.format ?? .text }

    /// Declares settings of the service, and reads them.
    ///
    /// - Throws: `ConfigurationRefusal` if they have an error, `SettingsDeclarationError` if they cannot be declared.
    func declare<Settings: Sendable>(
        _ type: Settings.Type, section: String, read: @escaping (ConfigurationReading) -> Settings?
    ) throws -> Settings {
        let declaration = SettingsDeclaration(type: ObjectIdentifier(type), section: section) { _ = read($0) }
        guard let reading = start else {
            throw SettingsDeclarationError("unable to declare the settings '\(type)': the service has been assembled")
        }
        if reading.loaded.effective.hasSection(section) {
            throw SettingsDeclarationError("unable to declare the section '\(section)': it is Belfry's")
        }
        if declarations.contains(where: { $0.type == declaration.type || $0.section == section }) {
            throw SettingsDeclarationError(
                "unable to declare the settings '\(type)': its type or section is used already")
        }
        declarations.append(declaration)
        guard let settings = read(reading) else { throw ConfigurationRefusal(reading) }
        return settings
    }

    /// The service has declared all its settings: any other section is an error.
    ///
    /// - Returns: what was read.
    /// - Throws: `ConfigurationRefusal` if there was any error.
    func endDeclarations() throws(ConfigurationRefusal) -> ConfigurationReading {
        let reading = start ?? ConfigurationReading(options, components)
        reading.requireKnownSections(declarations)
        if let refusal { throw refusal }
        start = nil
        return reading
    }

    /// All errors so far, at the start; nil if there is none.
    var refusal: ConfigurationRefusal? {
        start.flatMap { $0.isRefused ? ConfigurationRefusal($0) : nil }
    }

    /// The settings for a reload.
    ///
    /// - Parameter isDryRun: whether somebody only asks if it would be accepted, so that an error is none of the
    ///   service.
    /// - Throws: all errors. Warnings are only logged.
    func read(isDryRun: Bool) throws(LifecycleReloadError) -> LifecycleConfiguration {
        let reading = ConfigurationReading(options, components)
        for declaration in declarations { declaration.read(reading) }
        reading.requireKnownSections(declarations)
        reading.write(to: log, isDryRun: isDryRun)
        guard !reading.isRefused else { throw LifecycleReloadError(reading.reasons) }
        return reading.configuration
    }
}

/// Settings that the service has declared.
struct SettingsDeclaration {
    let type: ObjectIdentifier
    /// The section of the configuration files.
    let section: String
    let read: (ConfigurationReading) -> Void
}

/// A declaration that the service may not make.
nonisolated struct SettingsDeclarationError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Errors in the configuration at the start. The service does not start.
nonisolated struct ConfigurationRefusal: Error, CustomStringConvertible {
    let reading: ConfigurationReading
    let description: String

    @MainActor init(_ reading: ConfigurationReading) {
        self.reading = reading
        let reasons = reading.reasons
        let more = reasons.count > 1 ? ", and \(reasons.count - 1) more" : ""
        description = "configuration refused: \(reasons.first ?? "")\(more)"
    }
}
