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

/// Why a service starts: how its last run ended.
public nonisolated enum LaunchCause: String, Sendable, CaseIterable {
    /// The boot of the machine: no run in this boot is known.
    case boot
    /// A run that ended in order; the service was started again.
    case start
    /// A run that ended in order because of a restart.
    case restart
    /// A run that ended in order with a failure: a refused launch, a failed part, a stop that was cut short.
    case failure
    /// A run that ended without an exit record: the process crashed or was killed.
    case crash
    /// A run that the watchdog of the service manager killed.
    case watchdog

    /// Derives the cause of a start from the last run.
    ///
    /// - Parameters:
    ///   - previous: the last run; nil when none is known.
    ///   - bootID: the boot of this start.
    package init(after previous: ServiceRun?, bootID: String) {
        guard let previous, previous.bootID == bootID else {
            self = .boot
            return
        }
        if previous.exit?.result == "watchdog" {
            self = .watchdog
        } else if let word = previous.exitRecord, word.kind == .stopped, previous.exit?.isKilled != true {
            self = word.exitStatus != 0 ? .failure : word.reason == .restart ? .restart : .start
        } else {
            self = .crash
        }
    }
}
