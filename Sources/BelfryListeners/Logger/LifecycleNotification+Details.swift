// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import BelfrySystemd

nonisolated extension LifecycleNotification {
    /// What its record says beyond its name, its states and its origin; with a comma in front where there is anything.
    var details: RecordText {
        switch name {
        case .willFinishLaunching: LaunchOptions(userInfo: userInfo).map(Self.details) ?? ""
        case .didResume: (Suspension(userInfo: userInfo).map(Self.details) ?? "") + deliveries
        case .willTerminate: userInfo.text("reason").map { ", reason \($0)" } ?? ""
        case .didFailToReload: reasons.map { ", the old configuration stays:" + $0 } ?? ""
        case .didReceiveMemoryWarning: userInfo.text("level").map { ", level \($0)" } ?? ""
        case .significantTimeChange: TimeChange(userInfo: userInfo).map(Self.details) ?? ""
        case .protectedDataDidBecomeAvailable, .protectedDataWillBecomeUnavailable:
            userInfo.text("path").map { ", \($0)" } ?? ""
        default: deliveries
        }
    }

    /// How many deliveries of a signal it stands for, where that is more than one.
    private var deliveries: RecordText {
        guard case .signal = origin, case .int(let count) = userInfo["count"] else { return "" }
        return ", \(count) deliveries in one"
    }

    private static func details(_ options: LaunchOptions) -> RecordText {
        guard let cause = options.cause else { return "" }
        return ", after \(cause.rawValue)" + (options.previousRun?.exit.map { " (\($0))" } ?? "") as RecordText
    }

    private static func details(_ suspension: Suspension) -> RecordText {
        let cause =
            switch suspension.cause {
            case .signal: "continued by a signal"
            case .freezer: "suspended by the freezer"
            case .sleep: "suspended by the sleep of the machine"
            }
        let bound = suspension.isExact ? "" : "at most "
        return ", \(cause)" + (suspension.duration.map { " for \(bound)\($0.milliseconds) ms" } ?? "") as RecordText
    }

    private static func details(_ change: TimeChange) -> RecordText {
        switch change {
        case .clock(let step):
            let sign = step < .zero ? "-" : "+"
            let (seconds, milliseconds) = step.milliseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
            let fraction = "\(1000 + milliseconds)".dropFirst()
            return ", clock set by \(sign)\(seconds).\(fraction) s"
        case .timeZone(let from, let to):
            return ", time zone \(from ?? "without a name") -> \(to ?? "without a name")"
        }
    }

    private var reasons: RecordText? {
        guard case .array(let reasons) = userInfo["reasons"] else { return nil }
        return reasons.reduce("") { text, reason in
            if case .string(let line) = reason { text + "\n\(line)" } else { text }
        }
    }
}
