// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// All settings of `belfry.conf`, checked and complete.
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

    /// Decodes what was resolved without an error against a table that contains Belfry's own sections.
    package init(_ effective: EffectiveConfiguration) {
        service = ServiceSettings(effective.section("Service"))
        signals = SignalSettings(effective.section("Signals"))
        socket = SocketSettings(effective.section("Socket"))
        logger = LoggerSettings(effective.section("Logger"))
        caches = effective.instances("Cache").map(CacheSettings.init)
    }

    /// What holds when no file says anything.
    package static var defaults: BelfrySettings {
        var diagnostics = DiagnosticList()
        return BelfrySettings(ConfigurationResolver.resolve([], schema: .belfry, diagnostics: &diagnostics))
    }
}
