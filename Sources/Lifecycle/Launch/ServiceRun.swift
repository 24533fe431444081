// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One run of the service: a process from its start to its end, as the record that it left tells it.
public nonisolated struct ServiceRun: Sendable, Equatable {
    /// The kernel's id of the boot it ran in.
    public var bootID: String
    /// The id of the run; nil outside of systemd.
    public var invocationID: String?
    /// The main process.
    public var pid: Int32
    /// When it started, by `CLOCK_REALTIME`.
    public var startRealtimeUsec: UInt64
    /// Who ended or paused it; nil for one that ended without a word, or still runs.
    public var lastWord: LastWord?
    /// What the service manager says of its end; nil when it was not asked to (`belfryd --record-exit`).
    public var exit: UnitExit?

    /// A run that has begun.
    public init(bootID: String, invocationID: String?, pid: Int32, startRealtimeUsec: UInt64) {
        self.bootID = bootID
        self.invocationID = invocationID
        self.pid = pid
        self.startRealtimeUsec = startRealtimeUsec
    }

    /// Reads what `userInfo` gives; nil when it is not whole.
    public init?(userInfo: UserInfo) {
        guard let bootID = userInfo.text("bootId"), let pid: Int32 = userInfo.number("pid"),
            let start: UInt64 = userInfo.number("startRealtimeUsec")
        else { return nil }
        self.init(
            bootID: bootID, invocationID: userInfo.text("invocationId"), pid: pid, startRealtimeUsec: start)
        exit = userInfo.object("exit").flatMap { UnitExit(userInfo: $0) }
        guard let word = userInfo["lastWord"] else { return }
        guard case .object(let info) = word, let lastWord = LastWord(userInfo: info) else { return nil }
        self.lastWord = lastWord
    }

    /// All of it, without what is not known.
    public var userInfo: UserInfo {
        var info: UserInfo = [
            "bootId": .string(bootID), "pid": .int(Int64(pid)),
            "startRealtimeUsec": .int(Int64(clamping: startRealtimeUsec)),
        ]
        info["invocationId"] = invocationID.map { .string($0) }
        info["lastWord"] = lastWord.map { .object($0.userInfo) }
        info["exit"] = exit.map { .object($0.userInfo) }
        return info
    }
}
