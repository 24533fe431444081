// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryJSON

@testable import belfry_fleetd

/// A plan of three hosts, and what it does.
struct Roll {
    var plan: RollingPlan
    private(set) var now = MonotonicInstant(microseconds: 1_000_000)

    /// How far the first host is.
    enum Progress {
        case none, told, answered, resuming
    }

    init(
        _ action: FleetCommand.Action, awayMax: Int = 1, pause: Duration = .zero, upTo progress: Progress = .none
    ) {
        plan = RollingPlan(
            RollingPlan.Order(action: action, hosts: ["h1", "h2", "h3"], awayMax: awayMax, pause: pause))
        if progress != .none { _ = begin() }
        if progress == .answered || progress == .resuming { _ = answer() }
        if progress == .resuming { _ = wake(after: Double(pause / .seconds(1))) }
    }

    mutating func begin(active: [String] = ["h1", "h2", "h3"]) -> [String] {
        plan.proceed(active: active, at: now).words
    }

    mutating func change(_ name: String, isActive: Bool) -> [String] {
        plan.hostChanged(name, isActive: isActive, at: now).words
    }

    mutating func answer(_ outcome: FleetReply.Outcome = .done, _ reason: String? = nil) -> [String] {
        end(.answered(outcome, reason: reason, result: nil))
    }

    /// The host has done it, and a listener of it has failed.
    mutating func answerWithFailure() -> [String] {
        let report: JSONValue = [
            "listener": "nginx", "notification": "didBecomeActive", "outcome": "failed", "reason": "no",
        ]
        return end(.answered(.done, reason: nil, result: ["state": "active", "reports": [report]]))
    }

    mutating func end(_ ending: PendingCommands.Ending) -> [String] { plan.answered(ending, at: now).words }

    /// Lets time pass. A host that is asked whether it is healthy says so at once.
    mutating func wake(after seconds: Double) -> [String] {
        let words = pass(seconds)
        return words.last?.hasPrefix("check to ") ?? false ? answer() : words
    }

    /// Lets time pass.
    mutating func pass(_ seconds: Double) -> [String] {
        now = now.advanced(by: .milliseconds(Int((seconds * 1000).rounded())))
        return plan.timePassed(at: now).words
    }
}

extension [RollingPlan.Action] {
    /// The actions as text.
    var words: [String] {
        map {
            switch $0 {
            case .tell(let step, let host, let reason): "\(step) \(host)\(reason.map { ": \($0)" } ?? "")"
            case .send(let action, let host): "\(action.word) to \(host)"
            case .withdraw: "withdraw"
            case .end(let ending): "end: \(ending.reason)"
            }
        }
    }
}
