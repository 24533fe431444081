// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import Glibc
internal import Lifecycle
internal import BelfryListeners
internal import BelfrySources

/// Keeps how a run of the unit ended, for the next launch to read. It is for `ExecStopPost=`, where systemd tells
/// (systemd.exec(5), `$SERVICE_RESULT`): the process itself cannot say how it was killed, and the properties of the unit
/// begin anew with the next start.
package enum ExitRecorder {
    /// Why nothing was recorded.
    package struct NotInUnit: Error, CustomStringConvertible {
        package let description =
            "unable to record the exit: '$SERVICE_RESULT' and '$INVOCATION_ID' are not set, this is for ExecStopPost="
    }

    /// Writes the record to the state directory.
    ///
    /// - Parameter files: the configuration files, in place of those of the system.
    /// - Throws: `NotInUnit`, `RunFiles.OtherRun` for the state directory of another service, and `SystemError`.
    package static func record(configurationFiles files: [String]?) throws {
        let environment = Environment.variables
        guard let exit = UnitExit(environment: environment), let id = environment["INVOCATION_ID"] else {
            throw NotInUnit()
        }
        let settings = ConfigurationLoader.load(from: files.map { .files($0) } ?? .standard).settings ?? .defaults
        let paths = RuntimePaths(
            environment: environment, uid: geteuid(), runtimeDirectory: settings.service.runtimeDirectory,
            stateDirectory: settings.service.stateDirectory)
        try RunFiles(directory: paths.stateDirectory, service: nil).write(exit, of: id)
    }
}
