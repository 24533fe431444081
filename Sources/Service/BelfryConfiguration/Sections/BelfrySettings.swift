// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
package import BelfrySystemd

/// All settings of `belfry.conf`.
package nonisolated struct BelfrySettings: Sendable, Equatable {
    /// `[Service]`.
    package var service: ServiceSettings
    /// `[Signals]`.
    package var signals: SignalSettings
    /// `[Socket]`.
    package var socket: SocketSettings
    /// `[Logger]`.
    package var logger: LoggerSettings
    /// Every `[Cache NAME]`, in the order of the files.
    package var caches: [CacheSettings]

    /// Reads the settings. What has an error has its default.
    init(_ sections: inout ConfigurationSections) {
        service = sections.read("Service") { ServiceSettings($0) }
        signals = sections.read("Signals", key: SignalName.mappable) { SignalSettings($0) }
        socket = sections.read("Socket") { SocketSettings($0) }
        logger = sections.read("Logger") { LoggerSettings($0) }
        caches = sections.readAll("Cache", "NAME") { CacheSettings($0) }
    }

    /// The settings without any file.
    package static var defaults: BelfrySettings {
        var sections = ConfigurationSections()
        return BelfrySettings(&sections)
    }

    /// The keys that take effect only at a restart: a reload that changes one is refused.
    package static let restartKeys = [
        RestartKey("Service", "DisabledListeners") { $0.service.disabledListeners.map { UTF8Text($0) } },
        RestartKey("Service", "RuntimeDirectory") { $0.service.runtimeDirectory.map { UTF8Text($0) } },
        RestartKey("Service", "StateDirectory") { $0.service.stateDirectory.map { UTF8Text($0) } },
        RestartKey("Socket", "Enabled") { $0.socket.isEnabled },
        RestartKey("Socket", "Path") { $0.socket.path.map { UTF8Text($0) } },
        RestartKey("Socket", "ReplaySize") { $0.socket.replaySize },
    ]
}

/// A key whose change needs a restart.
package nonisolated struct RestartKey: Sendable {
    package let section: String
    package let name: String
    /// Whether its values differ.
    package let differs: @Sendable (BelfrySettings, BelfrySettings) -> Bool

    fileprivate init<Value: Equatable & SendableMetatype>(
        _ section: String, _ name: String, _ value: @escaping @Sendable (BelfrySettings) -> Value
    ) {
        self.section = section
        self.name = name
        differs = { value($0) != value($1) }
    }

    /// `[Section] Key=`, and where it is set if it does not have its default.
    package func description(in configuration: EffectiveConfiguration) -> String {
        let position = configuration.section(section)?.position(of: name)
        return "[\(section)] \(name)=" + (position.map { " (\($0))" } ?? "")
    }
}

nonisolated extension LoggerSettings {
    init(_ section: SectionReader) {
        self.init()
        isEnabled = section.boolean("Enabled", default: true)
        level = section.value("Level", Self.level, default: "info")
        target = section.choice("Target", default: .auto)
        format = section.choice("Format", default: .text)
    }

    private static func level(_ text: String) throws(ValueProblem) -> LogPriority {
        if let priority = LogPriority(text) { return priority }
        let question = NearestName.question(text, in: LogPriority.names)
        let expected = "expected a log level from 'emerg' to 'debug' or 0 to 7"
        throw ValueProblem("\(expected), not \(DisplayText.quoted(text))\(question)")
    }
}
