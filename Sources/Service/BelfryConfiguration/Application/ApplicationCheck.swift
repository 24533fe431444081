// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux
internal import Glibc

/// Checks the files of applications (`ApplicationFile` has their rules), and what a start would meet: their users and programs.
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
        for name in names {
            let application = ApplicationFile(name, in: scope, reader: reader)
            var file = application.file
            if let settings = application.settings {
                applications.append(settings)
                if let user = settings.user, UInt32(user) == nil, getpwnam(user) == nil {
                    file.error(
                        at: "User", in: ApplicationFile.application, "there is no user \(DisplayText.quoted(user))")
                }
                Self.checkPrograms(of: settings, for: account("belfry-listener@\(name).service"), &file)
            }
            diagnostics += file.diagnostics
        }
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
