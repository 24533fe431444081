// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Checks a unit against the configuration of the service that it starts: what systemd would do to the service that the
/// service cannot stand, and what it would not do that the service relies on.
package nonisolated struct UnitCheck {
    let unit: UnitFile
    /// The configuration; nil when it has errors, so that nothing can be compared with it.
    let settings: BelfrySettings?
    var diagnostics = DiagnosticList()

    private init(_ unit: UnitFile, _ settings: BelfrySettings?, _ diagnostics: DiagnosticList) {
        self.unit = unit
        self.settings = settings
        self.diagnostics = diagnostics
    }

    /// Checks a unit with its drop-ins.
    ///
    /// - Parameters:
    ///   - unit: The name of a service, which is looked for where systemd does (systemd.unit(5)), or, with a slash in it,
    ///     a path. The drop-ins of a file that is not in one of systemd's directories are those in `PATH.d`.
    ///   - settings: The configuration; nil when it has errors.
    ///   - root: Stands before the directories where systemd looks.
    ///   - reader: Reads the files.
    /// - Returns: everything that is wrong, in the order of the files and their lines.
    package static func run(
        _ unit: String, against settings: BelfrySettings?, root: String = "",
        reader: any ConfigurationFileReader = SystemFileReader()
    ) -> [ConfigurationDiagnostic] {
        var diagnostics = DiagnosticList()
        let unit = UnitFile(unit, root: root, reader: reader, diagnostics: &diagnostics)
        guard unit.header != nil else {
            if !diagnostics.hasErrors { diagnostics.error(at: unit.position, "missing section [Service]") }
            return diagnostics.diagnostics
        }
        var check = UnitCheck(unit, settings, diagnostics)
        check.checkProtocol()
        check.checkSignals()
        check.checkTimes()
        check.checkRestart()
        check.checkDescriptors()
        check.checkJournal()
        check.checkState()
        check.checkSandbox()
        return check.diagnostics.sorted(files: unit.files)
    }

    mutating func error(_ setting: UnitSetting?, _ message: String) {
        diagnostics.error(at: setting?.position ?? unit.position, message)
    }

    mutating func warning(_ setting: UnitSetting?, _ message: String) {
        diagnostics.warning(at: setting?.position ?? unit.position, message)
    }

    /// A time span of the unit; `fallback` when it is not set, nil for none. Zero is none too (systemd.service(5)). One
    /// that is wrong is said to be, and is then no reason to say more.
    mutating func time(_ setting: UnitSetting?, unless fallback: Duration?) -> Duration? {
        guard let setting else { return fallback }
        do throws(ValueProblem) {
            let time = try TimeSpanText.parse(setting.value.string)
            return time == .zero ? nil : time
        } catch {
            diagnostics.error(
                at: setting.position(at: error.offset), "invalid value of \(setting.key): \(error.message)")
            return fallback ?? .seconds(30)
        }
    }
}
