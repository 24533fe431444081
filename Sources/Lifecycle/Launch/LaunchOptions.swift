// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What `willFinishLaunching` and `didFinishLaunching` tell: how and why the service was started, from the environment
/// that systemd gives (systemd.exec(5), sd_listen_fds(3)) and from what the last run left. What is not known is nil or
/// empty.
public nonisolated struct LaunchOptions: LifecycleEvent, Equatable {
    /// What this start follows; nil when the last run left nothing that can be read.
    public var cause: LaunchCause?
    /// The names of the sockets that were handed over.
    public var socketNames: [String] = []
    /// The names of the descriptors that came back from the descriptor store.
    public var storedNames: [String] = []
    /// The unit that triggered this one: `$TRIGGER_UNIT`.
    public var triggerUnit: String?
    /// The path that did: `$TRIGGER_PATH`.
    public var triggerPath: String?
    /// When the timer that did elapsed, by `CLOCK_REALTIME`: `$TRIGGER_TIMER_REALTIME_USEC`.
    public var triggerRealtimeUsec: UInt64?
    /// When the timer that did elapsed, by `CLOCK_MONOTONIC`: `$TRIGGER_TIMER_MONOTONIC_USEC`.
    public var triggerMonotonicUsec: UInt64?
    /// The unit whose success or failure started this one: `$MONITOR_UNIT` and its like.
    public var monitored: MonitoredUnit?
    /// The id of this run: `$INVOCATION_ID`.
    public var invocationID: String?
    /// The process that systemd started for this unit: `$SYSTEMD_EXEC_PID`. Another one than ours when somebody else
    /// runs us in that unit.
    public var execPID: Int32?
    /// Where credentials are: `$CREDENTIALS_DIRECTORY`.
    public var credentialsDirectory: String?
    /// The names of the credentials, sorted.
    public var credentialNames: [String] = []
    /// The run before this one, with its exit record.
    public var previousRun: ServiceRun?

    /// Nothing is known.
    public init() {}

    /// `didFinishLaunching`
    public static let name = LifecycleNotification.Name.didFinishLaunching

    /// Reads what is there; nothing has to be.
    public init?(userInfo: UserInfo) {
        cause = userInfo.text("cause").flatMap { LaunchCause(rawValue: $0) }
        socketNames = userInfo.texts("socketNames")
        storedNames = userInfo.texts("storedNames")
        triggerUnit = userInfo.text("triggerUnit")
        triggerPath = userInfo.text("triggerPath")
        triggerRealtimeUsec = userInfo.number("triggerRealtimeUsec")
        triggerMonotonicUsec = userInfo.number("triggerMonotonicUsec")
        monitored = userInfo.object("monitored").flatMap { MonitoredUnit(userInfo: $0) }
        invocationID = userInfo.text("invocationId")
        execPID = userInfo.number("execPid")
        credentialsDirectory = userInfo.text("credentialsDirectory")
        credentialNames = userInfo.texts("credentialNames")
        previousRun = userInfo.object("previousRun").flatMap { ServiceRun(userInfo: $0) }
    }

    /// What is known.
    public var userInfo: UserInfo {
        func array(_ names: [String]) -> JSONValue? {
            names.isEmpty ? nil : .array(names.map { .string($0) })
        }
        var info: UserInfo = [:]
        info["cause"] = cause.map { .string($0.rawValue) }
        info["socketNames"] = array(socketNames)
        info["storedNames"] = array(storedNames)
        info["triggerUnit"] = triggerUnit.map { .string($0) }
        info["triggerPath"] = triggerPath.map { .string($0) }
        info["triggerRealtimeUsec"] = triggerRealtimeUsec.map { .int(Int64(clamping: $0)) }
        info["triggerMonotonicUsec"] = triggerMonotonicUsec.map { .int(Int64(clamping: $0)) }
        info["monitored"] = monitored.map { .object($0.userInfo) }
        info["invocationId"] = invocationID.map { .string($0) }
        info["execPid"] = execPID.map { .int(Int64($0)) }
        info["credentialsDirectory"] = credentialsDirectory.map { .string($0) }
        info["credentialNames"] = array(credentialNames)
        info["previousRun"] = previousRun.map { .object($0.userInfo) }
        return info
    }
}

/// What a start follows.
public nonisolated enum LaunchCause: String, Sendable, CaseIterable {
    /// The boot of the machine: no run in this boot is known.
    case boot
    /// A run that ended in order; somebody started the service again.
    case start
    /// A run that ended in order for the sake of a restart.
    case restart
    /// A run that ended in order with a failure: a refused launch, a failed part, a stop that was cut short.
    case failure
    /// A run that ended without a word.
    case crash
    /// A run that the watchdog of the service manager killed.
    case watchdog

    /// What a start follows, by what is known of the last run.
    ///
    /// - Parameters:
    ///   - previous: the last run; nil when none is known.
    ///   - bootID: the boot of this start.
    public init(after previous: ServiceRun?, bootID: String) {
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
