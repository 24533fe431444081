// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
internal import BelfryLinux

/// The name of a service, and options that override its configuration.
public nonisolated struct ServiceOptions: Sendable {
    /// What `ServiceMain.run` does.
    package enum Action: Sendable {
        /// It runs the service.
        case run
        /// It prints all problems of the configuration on standard error, and ends the process with 78 if there is an
        /// error.
        case checkConfiguration
        /// It does the same, and prints the settings in effect on standard output if there is no error.
        case printConfiguration
    }

    package let name: String
    package let version: String?
    package let configurationFiles: [String]?
    package let socketPath: String?
    package let logLevel: String?
    package var action = Action.run
    /// The name of the files of all instances, if it is not that of the service.
    package var fileName: String
    /// The directory and the name of the configuration files, if they are not `fileName`.
    package var configurationName: (directory: String, file: String)?
    /// The instance of the service, which has its own name, files and directories; nil for the only or main one.
    package var instance: String?
    /// The application that the instance stands for.
    package var application: ApplicationSettings?
    /// Checks other files that belong to the configuration. `account` finds the user of a unit, if it is known.
    package var checkOtherFiles: (@Sendable (_ account: (String) -> FileAccount?) -> [ConfigurationDiagnostic])?

    /// Options for a service of this name.
    ///
    /// - Parameters:
    ///   - name: its identifier in the journal and on the socket, and the name of its files. It reads `NAME.conf` and
    ///     `NAME.conf.d` in `/etc/NAME` or the directory of `ConfigurationDirectory=` in the unit, `/run/NAME`,
    ///     `/usr/local/lib/NAME` and `/usr/lib/NAME`. Its directories are `/run/NAME` and `/var/lib/NAME`, or those
    ///     that the unit, the user's environment (XDG) or the configuration names.
    ///   - version: the version of the service, which clients see; nil for the version of Belfry.
    ///   - configurationFiles: the only files that it reads, where later ones override earlier ones; nil for
    ///     `NAME.conf` and its drop-ins by UAPI.6.
    ///   - socketPath: the path of the socket, whatever configuration and environment say; `@NAME` is abstract.
    ///   - logLevel: the least urgent level that is logged (`emerg` to `debug`), which overrides the configuration.
    public init(
        name: String, version: String? = nil, configurationFiles: [String]? = nil, socketPath: String? = nil,
        logLevel: String? = nil
    ) {
        self.name = name
        self.version = version
        self.configurationFiles = configurationFiles
        self.socketPath = socketPath
        self.logLevel = logLevel
        fileName = name
    }

    /// The name of this instance in the journal and on the socket: `NAME`, or `NAME@INSTANCE`.
    package var instanceName: String { InstanceName.full(name, instance) }

    /// The name of this instance's directories in `/run` and `/var/lib`.
    package var directoryName: String { InstanceName.full(fileName, instance) }

    /// The configuration files of this instance.
    package var configurationSources: ConfigurationSources {
        ConfigurationSources(
            files: configurationFiles, service: configurationName?.directory ?? fileName, instance: instance,
            file: configurationName?.file, environment: Environment.variables)
    }
}
