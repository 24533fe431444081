// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryClient
import BelfryEventLoop

/// A command to many hosts, one after the other. It decides, and `RollRunner` acts.
///
/// * A host that is not active is away, whatever the reason: planned, dead, or unknown.
/// * The next host gets the command only while it is active itself and fewer than `awayMax` hosts are away. From then on
///   it is under way, and counts as away.
/// * It is no longer under way when it has done the command, no listener of it has failed, and then it was active for a time
///   without interruption, at the end of which it says that its listeners work. A host that
///   gets `pause` is paused for a time, and then gets `resume`.
/// * The plan stops at a host that fails or does not come back in time, when so many others are away that there are too many
///   with the host under way, and when the view of the hosts is lost.
/// * A host that is paused, or may be, is resumed first, whatever is the reason to stop.
/// * A plan that has stopped can be continued, with the host that was under way, or cancelled.
nonisolated struct RollingPlan: Sendable, Equatable {
    /// What is to be done.
    struct Order: Sendable, Equatable {
        var action: FleetCommand.Action
        /// The hosts, in the order in which they get the command.
        var hosts: [String]
        /// Fewer hosts than this must be away for another to get the command.
        var awayMax: Int
        /// How long a host has to be active before the next one gets the command.
        var healthy = Duration.seconds(10)
        /// How long a host may take to answer, or to become healthy, or has to wait for others.
        var timeout = Duration.seconds(300)
        /// How long each host is paused.
        var pause = Duration.zero
    }

    /// What the caller is told.
    enum Step: String, Sendable {
        case waiting, sent, paused, resuming, answered, healthy, failed
    }

    /// How the plan ended.
    enum Ending: Sendable, Equatable {
        case finished, cancelled
        case stopped(String)

        /// Why it ended.
        var reason: String {
            switch self {
            case .finished: "finished"
            case .cancelled: "cancelled"
            case .stopped(let reason): reason
            }
        }
    }

    /// What is to be done for the plan, in this order.
    enum Action: Sendable, Equatable {
        case tell(Step, host: String, reason: String?)
        /// Sends a command with the order's timeout. A command before it is withdrawn.
        case send(FleetCommand.Action, to: String)
        /// Withdraws the last command.
        case withdraw
        case end(Ending)
    }

    enum Phase: Sendable, Equatable {
        /// No host is under way: the next one gets the command when it may.
        case waiting(deadline: MonotonicInstant, isTold: Bool)
        /// The host has got the command.
        case commanded
        case paused(until: MonotonicInstant)
        /// The host is paused, or may be, and has got `resume`.
        case resuming
        /// The host has done it, and has been active since then.
        case recovering(deadline: MonotonicInstant, activeSince: MonotonicInstant?)
        /// It was active for long enough, and is asked whether its listeners work.
        case checking
    }

    let order: Order
    /// How many hosts are done.
    var place = 0
    var phase: Phase
    /// Why no further host gets the command.
    var ending: Ending?
    /// Whether it goes on, or has still to bring a host back.
    private(set) var isRunning = false
    private let members: Set<String>
    private var active: Set<String> = []
    private var isViewLost = true

    /// A plan that has not begun, or that has stopped if it has an ending.
    init(_ order: Order) {
        self.order = order
        members = Set(order.hosts)
        phase = .waiting(deadline: MonotonicInstant(microseconds: 0), isTold: false)
    }

    /// The host that is under way, or the next one; nil at the end.
    var host: String? { place < order.hosts.count ? order.hosts[place] : nil }

    /// Whether a host is paused, or may be, because of this plan.
    var owesResume: Bool {
        switch phase {
        case .paused, .resuming: true
        case .commanded: order.action == .pause
        case .waiting, .recovering, .checking: false
        }
    }

    /// When `timePassed` is to be called.
    var wakeAt: MonotonicInstant? {
        guard isRunning else { return nil }
        switch phase {
        case .waiting(let deadline, _): return deadline
        case .paused(let end): return end
        case .recovering(let deadline, let since): return min(deadline, since?.advanced(by: order.healthy) ?? deadline)
        case .commanded, .resuming, .checking: return nil
        }
    }

    // What happens

    /// Begins, or goes on after a stop.
    ///
    /// - Parameter active: the hosts that are active.
    mutating func proceed(active hosts: [String], at now: MonotonicInstant) -> [Action] {
        active = members.intersection(hosts)
        (isRunning, isViewLost, ending) = (true, false, nil)
        switch phase {
        case .recovering, .checking:
            recover(at: now)
            return []
        case .resuming: return resume(nil)
        case .waiting, .commanded, .paused: return wait(at: now)
        }
    }

    /// Something has happened to a host. Even if it was active before and is active now, it was not in between.
    mutating func hostChanged(_ name: String, isActive: Bool, at now: MonotonicInstant) -> [Action] {
        guard members.contains(name) else { return [] }
        if isActive { active.insert(name) } else { active.remove(name) }
        guard isRunning else { return [] }
        if case .waiting = phase { return drain(at: now) }
        if case .recovering(let deadline, _) = phase, name == host {
            phase = .recovering(deadline: deadline, activeSince: isActive ? now : nil)
        }
        let others = awayCount - (host.map(active.contains) ?? true ? 0 : 1)
        guard others >= order.awayMax, ending == nil else { return [] }
        return stop(.stopped("too many other hosts are away: \(awayNames(without: host))"))
    }

    /// The host that is under way has answered, or has not in time.
    mutating func answered(_ answer: PendingCommands.Ending, at now: MonotonicInstant) -> [Action] {
        guard let host else { return [] }
        switch phase {
        case .commanded where answer.isDone && order.action == .pause:
            phase = .paused(until: now.advanced(by: order.pause))
            return [.tell(.paused, host: host, reason: nil)]
        case .commanded where !answer.isDone:
            // Otherwise it may be paused.
            if answer.isDeclined || order.action != .pause { wait() }
            return stop(.stopped("\(order.action.word): \(answer.text)"))
        case .resuming where !answer.isDone:
            guard isRunning else { return [] }
            ending = ending ?? .stopped("resume: \(answer.text)")
            return [.tell(.failed, host: host, reason: "resume: \(answer.text)")] + end()
        case .commanded, .resuming:
            recover(at: now)
            guard isRunning else { return [] }
            return [.tell(.answered, host: host, reason: nil)] + (ending == nil ? [] : end())
        case .checking where answer.isDone:
            place += 1
            return [.tell(.healthy, host: host, reason: nil)] + wait(at: now)
        case .checking:
            recover(at: now)
            return stop(.stopped("it is not healthy: \(answer.text)"))
        case .waiting, .paused, .recovering: return []
        }
    }

    /// Nothing is known of the hosts from now on. Nothing that is sent now is waited for.
    mutating func viewLost(_ reason: String) -> [Action] {
        isViewLost = true
        active = []
        return isRunning ? stop(.stopped(reason)) : []
    }

    /// There is a connection to the broker again. A host that could not be resumed is resumed now.
    mutating func viewReturned() -> [Action] {
        isViewLost = false
        guard phase == .resuming, let host else { return [] }
        return [.send(.resume, to: host)]
    }

    mutating func timePassed(at now: MonotonicInstant) -> [Action] {
        guard isRunning, let wakeAt, wakeAt <= now, let host else { return [] }
        switch phase {
        case .waiting: return drain(at: now)
        case .paused: return resume(nil)
        case .recovering(_, let since?) where since.advanced(by: order.healthy) <= now:
            phase = .checking
            return [.send(.check, to: host)]
        case .recovering:
            let times = (DurationText.text(order.healthy), DurationText.text(order.timeout))
            return stop(.stopped("it was not active for \(times.0) within \(times.1)"))
        case .commanded, .resuming, .checking: return []
        }
    }

    /// Ends the plan for good.
    mutating func cancel() -> [Action] {
        let wasRunning = isRunning
        isRunning = true
        ending = .cancelled
        return wasRunning || phase != .resuming ? stop(.cancelled) : resume("cancelled")
    }

    /// Stops, after the host that is under way was brought back. The first reason counts.
    mutating func stop(_ reason: Ending) -> [Action] {
        let isFirst = ending == nil
        let reason = ending ?? reason
        ending = reason
        switch phase {
        case .commanded where order.action == .pause, .paused:
            let actions = resume(reason.reason)
            return isViewLost ? actions + end() : actions
        case .commanded where isViewLost:
            wait()
            return [.withdraw] + end()
        case .commanded:
            guard isFirst, let host else { return [] }
            return [.tell(.waiting, host: host, reason: reason.reason)]
        case .resuming: return isViewLost ? end() : []
        case .checking: return [.withdraw] + end()
        case .waiting, .recovering: return end()
        }
    }

    // What is done

    /// No host is under way.
    private mutating func wait() { phase = .waiting(deadline: MonotonicInstant(microseconds: 0), isTold: false) }

    private mutating func wait(at now: MonotonicInstant) -> [Action] {
        phase = .waiting(deadline: now.advanced(by: order.timeout), isTold: false)
        return drain(at: now)
    }

    /// Sends the command to the next host, if it may be.
    private mutating func drain(at now: MonotonicInstant) -> [Action] {
        guard let host, case .waiting(let deadline, let isTold) = phase else {
            ending = .finished
            return end()
        }
        if active.contains(host), awayCount < order.awayMax {
            phase = .commanded
            return [.tell(.sent, host: host, reason: nil), .send(order.action, to: host)]
        }
        if deadline <= now { return stop(.stopped("not active: \(awayNames())")) }
        phase = .waiting(deadline: deadline, isTold: true)
        return isTold ? [] : [.tell(.waiting, host: host, reason: "not active: \(awayNames())")]
    }

    private mutating func resume(_ reason: String?) -> [Action] {
        guard let host else { return [] }
        phase = .resuming
        return [.tell(.resuming, host: host, reason: reason), .send(.resume, to: host)]
    }

    private mutating func recover(at now: MonotonicInstant) {
        let isActive = host.map(active.contains) ?? false
        phase = .recovering(deadline: now.advanced(by: order.timeout), activeSince: isActive ? now : nil)
    }

    private mutating func end() -> [Action] {
        isRunning = false
        return ending.map { [.end($0)] } ?? []
    }

    private var awayCount: Int { order.hosts.count - active.count }

    /// Some of the hosts that are away.
    private func awayNames(without other: String? = nil) -> String {
        let names = order.hosts.lazy.filter { $0 != other && !active.contains($0) }.prefix(11).map(\.self)
        return names.count > 10 ? "\(names.prefix(10).joined(separator: ", ")) and more" : names.joined(separator: ", ")
    }
}
