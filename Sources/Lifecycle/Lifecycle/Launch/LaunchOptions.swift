// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The user info of `willFinishLaunching` and `didFinishLaunching`: how and why the service was started, from the
/// environment that systemd sets (systemd.exec(5)) and from the exit record of the last run. Unknown values are nil.
public nonisolated struct LaunchOptions: LifecycleEvent, Equatable {
    /// Why the service starts, as the record of the last run shows; nil if the record cannot be read.
    public var cause: LaunchCause?
    /// Whether the service was paused when its last run ended. The launch then ends with `didEnterBackground` instead
    /// of `didBecomeActive`, and the service becomes active when somebody continues it. Key `paused`.
    public var isPaused = false
    /// The unit that triggered this one: `$TRIGGER_UNIT`.
    public var triggerUnit: String?
    /// The path that triggered this unit: `$TRIGGER_PATH`.
    public var triggerPath: String?
    /// The run before this one, with its exit record.
    public var previousRun: ServiceRun?

    /// Options without values.
    public init() {}

    /// `didFinishLaunching`
    public static let name = LifecycleNotification.Name.didFinishLaunching

    /// Decodes the known values. None is required.
    public init?(userInfo: UserInfo) {
        cause = userInfo.text("cause").flatMap { LaunchCause(rawValue: $0) }
        isPaused = Self.isPaused(in: userInfo)
        triggerUnit = userInfo.text("triggerUnit")
        triggerPath = userInfo.text("triggerPath")
        previousRun = userInfo.object("previousRun").flatMap { ServiceRun(userInfo: $0) }
    }

    static func isPaused(in userInfo: UserInfo) -> Bool { userInfo["paused"] == true }

    /// The known values.
    public var userInfo: UserInfo {
        var info: UserInfo = [:]
        info["cause"] = cause.map { .string($0.rawValue) }
        info["paused"] = isPaused ? true : nil
        info["triggerUnit"] = triggerUnit.map { .string($0) }
        info["triggerPath"] = triggerPath.map { .string($0) }
        info["previousRun"] = previousRun.map { .object($0.userInfo) }
        return info
    }
}

nonisolated extension LaunchOptions {
    /// What triggered the start, from the environment of the process.
    package init(environment: [String: String]) {
        self.init()
        triggerUnit = environment.nonEmpty("TRIGGER_UNIT")
        triggerPath = environment.nonEmpty("TRIGGER_PATH")
    }
}

nonisolated extension [String: String] {
    /// The value of a variable; nil when it is empty.
    func nonEmpty(_ variable: String) -> String? { self[variable].flatMap { $0.isEmpty ? nil : $0 } }
}
