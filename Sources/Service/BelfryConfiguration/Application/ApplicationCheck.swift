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
    /// The names of those with an error, or which the users of their units cannot read.
    package private(set) var wrong: [String] = []
    /// All errors and warnings.
    package private(set) var diagnostics: [ConfigurationDiagnostic] = []

    /// Checks all applications, or the one of this name.
    ///
    /// - Parameter account: the user of the unit with this name, for which a file has this `User=`; nil if not known.
    package init(
        _ name: String? = nil, in scope: ApplicationScope, reader: any ConfigurationFileReader = SystemFileReader(),
        account: (_ unit: String, _ user: String?) -> FileAccount? = { _, _ in nil }
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
                // systemd wants an entry for a number, too.
                if let user = settings.user, getpwnam(user) == nil, UInt32(user).flatMap({ getpwuid($0) }) == nil {
                    file.error(
                        at: "User", in: ApplicationFile.application, "there is no user \(DisplayText.quoted(user))")
                }
                if let other = inUse[settings.unit]?.first(where: { !$0.hasSameBytes(as: name) }) {
                    file.error(
                        at: "Unit", in: ApplicationFile.application,
                        "the application '\(other)' has the same unit: remove one of the two files")
                }
                let commands = account("belfry-listener@\(name).service", settings.user)
                // What their unit has, its mounts and its `$PATH`, only belfry-listener can see.
                for (key, command) in settings.listener.programs where command.program.utf8.first == UInt8(ascii: "/") {
                    guard let problem = ProgramFile.problem(command.program, for: commands),
                        let position = file.position(of: key, in: ApplicationFile.on)
                    else { continue }
                    diagnostics.append(ConfigurationDiagnostic(.warning, at: position, problem))
                }
                // Both units read the files, and look for drop-ins in each directory.
                let paths = file.files + scope.directories.map { "\($0)/\(name)\(ApplicationFile.suffix).d" }
                for user in [account("belfryd@\(name).service", nil), commands].compactMap(\.self) {
                    guard let problem = paths.lazy.compactMap({ user.problem(.read, $0) }).first else { continue }
                    file.error(at: "Unit", in: ApplicationFile.application, problem)
                }
            }
            diagnostics += file.diagnostics
            if file.diagnostics.contains(where: { $0.severity == .error }) { wrong.append(name) }
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
}
