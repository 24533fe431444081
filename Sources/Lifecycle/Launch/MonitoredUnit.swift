// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The unit whose end started this one, by its `OnFailure=` or `OnSuccess=` (systemd.exec(5), `$MONITOR_UNIT`).
public nonisolated struct MonitoredUnit: Sendable, Equatable {
    /// The unit's name.
    public var unit: String
    /// The run of it that ended.
    public var invocationID: String?
    /// How it ended.
    public var exit: UnitExit?

    /// A unit that has ended.
    public init(unit: String, invocationID: String? = nil, exit: UnitExit? = nil) {
        self.unit = unit
        self.invocationID = invocationID
        self.exit = exit
    }

    /// Reads `unit`, `invocationId` and `exit`; nil without the first.
    public init?(userInfo: UserInfo) {
        guard let unit = userInfo.text("unit") else { return nil }
        self.init(
            unit: unit, invocationID: userInfo.text("invocationId"),
            exit: userInfo.object("exit").flatMap { UnitExit(userInfo: $0) })
    }

    /// `unit` and, where they are known, `invocationId` and `exit`.
    public var userInfo: UserInfo {
        var info: UserInfo = ["unit": .string(unit)]
        info["invocationId"] = invocationID.map { .string($0) }
        info["exit"] = exit.map { .object($0.userInfo) }
        return info
    }
}
