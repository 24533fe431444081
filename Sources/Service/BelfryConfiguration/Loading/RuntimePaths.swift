// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The directories of the service, and the socket that clients connect to.
///
/// A variable with a relative path counts as not set, as the XDG Base Directory Specification requires.
package nonisolated struct RuntimePaths: Sendable, Equatable {
    /// The file name of the socket.
    static let socketName = "io.belfry.Lifecycle"
    /// The name of belfryd's files.
    package static let belfry = "belfry"

    /// The directory of files that do not outlive the boot: the socket by default, and the notification counter.
    package let runtimeDirectory: String
    /// The socket of a service: `$BELFRY_SOCKET`, else the one in the runtime directory.
    package let socketPath: String
    /// The directory of files that outlive the boot.
    package let stateDirectory: String

    private let isNamed: Bool
    private let systemDirectory: String

    /// The paths of a process with this environment and effective user.
    ///
    /// The first of these that is set is used. Runtime directory: `runtimeDirectory`, `$RUNTIME_DIRECTORY` (which
    /// systemd.exec(5) sets for every process of a unit), `/run/NAME` for root, `$XDG_RUNTIME_DIR/NAME`,
    /// `${TMPDIR:-/tmp}/NAME-UID`, which the service must create as private. State directory: `stateDirectory`,
    /// `$STATE_DIRECTORY`, `/var/lib/NAME` for root, `$XDG_STATE_HOME/NAME`, `$HOME/.local/state/NAME`, `state`
    /// in the runtime directory. NAME is `name`.
    package init(
        environment: [String: String], uid: UInt32, name: String = belfry, runtimeDirectory: String? = nil,
        stateDirectory: String? = nil
    ) {
        func path(_ variable: String) -> String? { Self.path(variable, environment) }
        func unitPath(_ variable: String) -> String? { Self.unitDirectory(variable, environment) }
        let isRoot = uid == 0
        let given = runtimeDirectory.map(AbsolutePath.withoutSlash) ?? unitPath("RUNTIME_DIRECTORY")
        systemDirectory = "/run/\(name)"
        let runtime: String =
            given ?? (isRoot ? systemDirectory : nil) ?? path("XDG_RUNTIME_DIR").map { "\($0)/\(name)" }
            ?? "\(path("TMPDIR") ?? "/tmp")/\(name)-\(uid)"
        self.runtimeDirectory = runtime
        self.stateDirectory =
            stateDirectory.map(AbsolutePath.withoutSlash) ?? unitPath("STATE_DIRECTORY")
            ?? (isRoot ? "/var/lib/\(name)" : nil)
            ?? path("XDG_STATE_HOME").map { "\($0)/\(name)" } ?? path("HOME").map { "\($0)/.local/state/\(name)" }
            ?? "\(runtime)/state"
        let socket = environment["BELFRY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        socketPath = socket ?? "\(runtime)/\(Self.socketName)"
        isNamed = socket != nil || given != nil
    }

    /// The first directory of a variable that systemd sets for the processes of a unit, such as `$STATE_DIRECTORY`.
    static func unitDirectory(_ variable: String, _ environment: [String: String]) -> String? {
        // systemd joins several directories with colons, in the order of the unit.
        path(variable, environment).map { AbsolutePath.withoutSlash(String($0.unicodeScalars.prefix { $0 != ":" })) }
    }

    private static func path(_ variable: String, _ environment: [String: String]) -> String? {
        guard let value = environment[variable], value.utf8.first == UInt8(ascii: "/") else { return nil }
        return AbsolutePath.withoutSlash(value)
    }

    /// The socket that a client connects to: `socketPath`, or the socket of the system service if it exists and neither
    /// a variable nor an argument names a socket or a runtime directory.
    package func clientSocketPath(exists: (String) -> Bool) -> String {
        let system = "\(systemDirectory)/\(Self.socketName)"
        return !isNamed && exists(system) ? system : socketPath
    }
}
