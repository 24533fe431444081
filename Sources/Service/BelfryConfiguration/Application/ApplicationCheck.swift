// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux
internal import Glibc

/// Checks the files of applications (`ApplicationFile` has their rules), and what a start would meet: their users and
/// programs.
package nonisolated struct ApplicationCheck {
    /// The applications without an error in their files.
    package private(set) var applications: [ApplicationSettings] = []
    /// All errors and warnings.
    package private(set) var diagnostics: [ConfigurationDiagnostic] = []

    /// Checks all applications, or the one of this name.
    ///
    /// - Parameter account: the user of the unit with this name; nil if that is not known.
    package init(
        _ name: String? = nil, in scope: ApplicationScope, reader: any ConfigurationFileReader = SystemFileReader(),
        account: (_ unit: String) -> FileAccount? = { _ in nil }
    ) {
        let names =
            name.map { [$0] }
            ?? ApplicationFile.names(in: scope, reader: reader) { problem in
                diagnostics.append(
                    ConfigurationDiagnostic(
                        .error, at: ConfigurationPosition(file: problem.object), "\(problem)", errorNumber: problem.code
                    ))
            }
        let inUse = Self.namesOfUnits(in: scope.inUse, reader)
        for name in names {
            let application = ApplicationFile(name, in: scope, reader: reader)
            var file = application.file
            if let settings = application.settings {
                applications.append(settings)
                if let user = settings.user, UInt32(user) == nil, getpwnam(user) == nil {
                    file.error(
                        at: "User", in: ApplicationFile.application, "there is no user \(DisplayText.quoted(user))")
                }
                if let other = inUse[settings.unit]?.first(where: { !$0.hasSameBytes(as: name) }) {
                    file.error(
                        at: "Unit", in: ApplicationFile.application,
                        "the application '\(other)' has the same unit: remove one of the two files")
                }
                Self.checkPrograms(of: settings, for: account("belfry-listener@\(name).service"), &file)
            }
            diagnostics += file.diagnostics
        }
    }

    /// The names of the applications in use, by their units. What cannot be read is reported by the check of its file.
    private static func namesOfUnits(
        in scope: ApplicationScope, _ reader: any ConfigurationFileReader
    ) -> [String: [String]] {
        let names = ApplicationFile.names(in: scope, reader: reader) { _ in }
        let units = names.compactMap { name in
            ApplicationFile(name, in: scope, reader: reader).settings.map { ($0.unit, [name]) }
        }
        return Dictionary(units, uniquingKeysWith: +)
    }

    private static func checkPrograms(
        of settings: ApplicationSettings, for account: FileAccount?, _ file: inout DeclarationFile
    ) {
        var programs = settings.commands.map { ($0.key, $0.command) }
        if let health = settings.listener.health { programs.append((ApplicationVerb.health.rawValue, health.command)) }
        for (key, command) in programs {
            guard let problem = ProgramFile.problem(command.program, for: account) else { continue }
            file.error(at: key, in: ApplicationFile.on, problem)
        }
        if let problem = account?.problem(.read, settings.file) {
            file.error(at: "Unit", in: ApplicationFile.application, problem)
        }
    }
}
