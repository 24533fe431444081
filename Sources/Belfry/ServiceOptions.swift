// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a service wants of `ServiceMain`, beyond what its configuration says.
public nonisolated struct ServiceOptions: Sendable, Equatable {
    /// The name of the service: its identifier in the journal and on the socket.
    public var name: String
    /// Read exactly these files, later ones over earlier ones; nil reads `belfry.conf` and its drop-ins where UAPI.6
    /// says.
    public var configurationFiles: [String]?
    /// Where the socket is, in place of what configuration and environment say; `@NAME` for an abstract address.
    public var socketPath: String?
    /// The least urgent level that is logged (`emerg` to `debug`), in place of what the configuration says.
    public var logLevel: String?

    /// Options for a service of this name; what is not given is left to the configuration.
    public init(
        name: String, configurationFiles: [String]? = nil, socketPath: String? = nil, logLevel: String? = nil
    ) {
        self.name = name
        self.configurationFiles = configurationFiles
        self.socketPath = socketPath
        self.logLevel = logLevel
    }
}
