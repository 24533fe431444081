// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryConfiguration
internal import BelfryLinux
internal import BelfryListeners
internal import Glibc
internal import Lifecycle

/// Records how a run of the unit ended, for the next launch. It runs from `ExecStopPost=`, where systemd tells the
/// result (systemd.exec(5), `$SERVICE_RESULT`): the process cannot record how it was killed, and the unit's
/// properties are reset at the next start.
package enum ExitRecorder {
    /// Why nothing was recorded.
    package struct NotInUnit: Error, CustomStringConvertible {
        package let description =
            "unable to record the exit: '$SERVICE_RESULT' and '$INVOCATION_ID' are not set, this is for ExecStopPost="
    }

    /// Writes the record to the state directory.
    ///
    /// - Parameters:
    ///   - sources: the configuration files.
    ///   - name: the name of the service's directories.
    /// - Throws: `NotInUnit`, `RunFiles.OtherRun` for the state directory of another service, and `SystemError`.
    package static func record(configuration sources: ConfigurationSources, name: String) throws {
        let environment = Environment.variables
        guard let exit = UnitExit(environment: environment), let id = environment["INVOCATION_ID"] else {
            throw NotInUnit()
        }
        let settings = ConfigurationLoader.read(from: sources).settings ?? .defaults
        try RunFiles(directory: RuntimePaths(name, settings).stateDirectory, service: nil).write(exit, of: id)
    }
}

nonisolated extension RuntimePaths {
    /// The paths of this process.
    init(_ name: String, _ settings: BelfrySettings) {
        self.init(
            environment: Environment.variables, uid: geteuid(), name: name,
            runtimeDirectory: settings.service.runtimeDirectory, stateDirectory: settings.service.stateDirectory)
    }
}
