// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The directories of the service, and the socket that clients connect to.
///
/// A variable with a relative path counts as not set, as the XDG Base Directory Specification requires.
package nonisolated struct RuntimePaths: Sendable, Equatable {
    /// The file name of the socket.
    static let socketName = "io.belfry.Lifecycle"
    /// The runtime directory of the system service.
    static let systemDirectory = "/run/belfry"

    /// The directory of files that do not outlive the boot: the socket by default, and the notification counter.
    package let runtimeDirectory: String
    /// The socket of a service: `$BELFRY_SOCKET`, else the one in the runtime directory.
    package let socketPath: String
    /// The directory of files that outlive the boot.
    package let stateDirectory: String

    private let isNamed: Bool

    /// The paths of a process with this environment and effective user.
    ///
    /// The first of these that is set is used. Runtime directory: `runtimeDirectory`, `$RUNTIME_DIRECTORY` (which
    /// systemd.exec(5) sets for every process of a unit), `/run/belfry` for root, `$XDG_RUNTIME_DIR/belfry`,
    /// `${TMPDIR:-/tmp}/belfry-UID`, which the service must create as private. State directory: `stateDirectory`,
    /// `$STATE_DIRECTORY`, `/var/lib/belfry` for root, `$XDG_STATE_HOME/belfry`, `$HOME/.local/state/belfry`, `state`
    /// in the runtime directory.
    package init(
        environment: [String: String], uid: UInt32, runtimeDirectory: String? = nil, stateDirectory: String? = nil
    ) {
        func path(_ variable: String) -> String? {
            guard let value = environment[variable], value.utf8.first == UInt8(ascii: "/") else { return nil }
            return AbsolutePath.withoutSlash(value)
        }
        func unitPath(_ variable: String) -> String? {
            // systemd joins several directories with colons, in the order of the unit.
            path(variable).map { AbsolutePath.withoutSlash(String($0.unicodeScalars.prefix { $0 != ":" })) }
        }
        let isRoot = uid == 0
        let given = runtimeDirectory.map(AbsolutePath.withoutSlash) ?? unitPath("RUNTIME_DIRECTORY")
        let runtime =
            given ?? (isRoot ? Self.systemDirectory : nil) ?? path("XDG_RUNTIME_DIR").map { "\($0)/belfry" }
            ?? "\(path("TMPDIR") ?? "/tmp")/belfry-\(uid)"
        self.runtimeDirectory = runtime
        self.stateDirectory =
            stateDirectory.map(AbsolutePath.withoutSlash) ?? unitPath("STATE_DIRECTORY")
            ?? (isRoot ? "/var/lib/belfry" : nil)
            ?? path("XDG_STATE_HOME").map { "\($0)/belfry" } ?? path("HOME").map { "\($0)/.local/state/belfry" }
            ?? "\(runtime)/state"
        let socket = environment["BELFRY_SOCKET"].flatMap { $0.isEmpty ? nil : $0 }
        socketPath = socket ?? "\(runtime)/\(Self.socketName)"
        isNamed = socket != nil || given != nil
    }

    /// The socket that a client connects to: `socketPath`, or the socket of the system service if it exists and neither a
    /// variable nor an argument names a socket or a runtime directory.
    package func clientSocketPath(exists: (String) -> Bool) -> String {
        let system = "\(Self.systemDirectory)/\(Self.socketName)"
        return !isNamed && exists(system) ? system : socketPath
    }
}
