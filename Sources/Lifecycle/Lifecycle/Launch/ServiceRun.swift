// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One run of the service, from the start of the process to its end, as its exit record describes it.
public nonisolated struct ServiceRun: Sendable, Equatable {
    /// The kernel's id of the boot it ran in.
    public var bootID: String
    /// The id of the run; nil outside of systemd.
    public var invocationID: String?
    /// The main process.
    public var pid: Int32
    /// When it started: the time since 1970 (`CLOCK_REALTIME`).
    public var startRealtime: Duration
    /// Who ended or paused it; nil while it runs, and if it ended without an exit record.
    public var exitRecord: ExitRecord?
    /// How it ended according to the service manager; nil if `belfryd --record-exit` did not run.
    public var exit: UnitExit?

    /// A run that has begun.
    package init(bootID: String, invocationID: String?, pid: Int32, startRealtime: Duration) {
        self.bootID = bootID
        self.invocationID = invocationID
        self.pid = pid
        self.startRealtime = startRealtime
    }

    /// Decodes `userInfo`; nil if a required value is missing.
    package init?(userInfo: UserInfo) {
        guard let bootID = userInfo.text("bootId"), let pid: Int32 = userInfo.number("pid"),
            let start = userInfo.duration("startRealtimeUsec")
        else { return nil }
        self.init(
            bootID: bootID, invocationID: userInfo.text("invocationId"), pid: pid, startRealtime: start)
        exit = userInfo.object("exit").flatMap { UnitExit(userInfo: $0) }
        guard let word = userInfo["lastWord"] else { return }
        guard case .object(let info) = word, let exitRecord = ExitRecord(userInfo: info) else { return nil }
        self.exitRecord = exitRecord
    }

    /// All known values.
    package var userInfo: UserInfo {
        var info: UserInfo = [
            "bootId": .string(bootID), "pid": .int(Int64(pid)),
            "startRealtimeUsec": .int(startRealtime.signedMicroseconds),
        ]
        info["invocationId"] = invocationID.map { .string($0) }
        info["lastWord"] = exitRecord.map { .object($0.userInfo) }
        info["exit"] = exit.map { .object($0.userInfo) }
        return info
    }
}
