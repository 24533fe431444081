// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What `didFinishLaunching` tells: how and why the service was started, from the environment that systemd gives
/// (systemd.exec(5), sd_listen_fds(3)). What is not known is nil or empty.
public nonisolated struct LaunchOptions: LifecycleEvent, Equatable {
    /// The names of the sockets that were handed over.
    public var socketNames: [String] = []
    /// The names of the descriptors that came back from the descriptor store.
    public var storedNames: [String] = []
    /// The unit that triggered this one: `$TRIGGER_UNIT`.
    public var triggerUnit: String?
    /// The path that did: `$TRIGGER_PATH`.
    public var triggerPath: String?
    /// The id of this run: `$INVOCATION_ID`.
    public var invocationID: String?
    /// Where credentials are: `$CREDENTIALS_DIRECTORY`.
    public var credentialsDirectory: String?

    /// Nothing is known.
    public init() {}

    /// `didFinishLaunching`
    public static let name = LifecycleNotification.Name.didFinishLaunching

    /// Reads what is there; nothing has to be.
    public init?(userInfo: UserInfo) {
        func text(_ key: String) -> String? { if case .string(let text) = userInfo[key] { text } else { nil } }
        func names(_ key: String) -> [String] {
            guard case .array(let values) = userInfo[key] else { return [] }
            return values.compactMap { if case .string(let text) = $0 { text } else { nil } }
        }
        socketNames = names("socketNames")
        storedNames = names("storedNames")
        triggerUnit = text("triggerUnit")
        triggerPath = text("triggerPath")
        invocationID = text("invocationId")
        credentialsDirectory = text("credentialsDirectory")
    }

    /// What is known.
    public var userInfo: UserInfo {
        var info: UserInfo = [:]
        if !socketNames.isEmpty { info["socketNames"] = .array(socketNames.map { .string($0) }) }
        if !storedNames.isEmpty { info["storedNames"] = .array(storedNames.map { .string($0) }) }
        info["triggerUnit"] = triggerUnit.map { .string($0) }
        info["triggerPath"] = triggerPath.map { .string($0) }
        info["invocationId"] = invocationID.map { .string($0) }
        info["credentialsDirectory"] = credentialsDirectory.map { .string($0) }
        return info
    }
}
