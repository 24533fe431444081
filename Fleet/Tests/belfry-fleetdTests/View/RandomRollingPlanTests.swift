// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import TestSupport
import Testing

@testable import belfry_fleetd

/// Hosts that die, refuse and answer late, a broker that goes away, restarts of the program, and operators.
struct RandomRollingPlanTests {
    private var random = SeededRandom(seed: 0)
    private let names = (1...4).map { "h\($0)" }
    private var plan = RollingPlan(RollingPlan.Order(action: .pause, hosts: ["h1"], awayMax: 1))
    private var now = MonotonicInstant(microseconds: 0)
    private var isBrokerThere = true
    private var dead: Set<String> = []
    /// The hosts that are paused because of the plan.
    private var paused: Set<String> = []
    /// The command that waits for an answer.
    private var command: (action: FleetCommand.Action, host: String)?
    private var isOver = false

    private var active: [String] { isBrokerThere ? names.filter { !dead.contains($0) && !paused.contains($0) } : [] }

    @Test(arguments: UInt64(0)..<500)
    mutating func noMoreHostsAreAwayThanAllowedAndNoneStaysPaused(seed: UInt64) {
        random = SeededRandom(seed: seed)
        let awayMax = Int.random(in: 1...2, using: &random)
        plan = RollingPlan(
            RollingPlan.Order(action: .pause, hosts: names, awayMax: awayMax, pause: .seconds(chance(2) ? 0 : 5)))
        perform(plan.proceed(active: active, at: now))
        for _ in 0..<300 where !isOver { step() }

        // All is well again.
        if !isBrokerThere { connect() }
        dead = []
        for _ in 0..<200 where !isOver {
            if !plan.isRunning { perform(plan.proceed(active: active, at: now)) }
            for name in names where !paused.contains(name) { change(name) }
            answer(.done)
            pass(30)
        }
        #expect(isOver && paused.isEmpty)
    }

    private mutating func step() {
        let name = names[Int.random(in: names.indices, using: &random)]
        switch Int.random(in: 0..<16, using: &random) {
        case 0..<5: answer(chance(6) ? .failed : .done)
        case 5: if let host = command?.host, !dead.contains(host), isBrokerThere { decline() }
        case 6: if command != nil { timeout() }
        case 7..<9:
            if dead.remove(name) == nil, chance(2) { dead.insert(name) }
            change(name)
        case 9: if chance(2) { isBrokerThere ? disconnect() : connect() }
        case 10: if chance(3) { restart() }
        case 11: if !plan.isRunning, isBrokerThere { perform(plan.proceed(active: active, at: now)) }
        default: pass(Int.random(in: 1...15, using: &random))
        }
        // Whatever happens, it is known who is to be resumed.
        for host in paused { #expect(plan.owesResume && plan.host == host) }
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    private mutating func perform(_ actions: [RollingPlan.Action]) {
        for action in actions {
            switch action {
            case .send(.resume, let host):
                #expect(plan.host == host)
                command = (.resume, host)
            case .send(.check, let host):
                #expect(paused.isEmpty && plan.host == host)
                command = (.check, host)
            case .send(let action, let host):
                #expect(paused.isEmpty && active.contains(host))
                #expect(names.count - active.count < plan.order.awayMax)
                command = (action, host)
            case .withdraw: command = nil
            case .end(let ending): isOver = ending == .finished
            case .tell: break
            }
        }
    }

    private mutating func change(_ name: String) {
        guard isBrokerThere else { return }
        perform(plan.hostChanged(name, isActive: active.contains(name), at: now))
    }

    /// The host under way does what it was told, or some of it, and answers.
    private mutating func answer(_ outcome: FleetReply.Outcome) {
        guard let (action, host) = command, isBrokerThere, !dead.contains(host) else { return }
        command = nil
        obey(action, host, fully: outcome == .done)
        perform(plan.answered(.answered(outcome, reason: nil, result: nil), at: now))
    }

    private mutating func obey(_ action: FleetCommand.Action, _ host: String, fully: Bool) {
        if action == .pause, fully || chance(2) { paused.insert(host) } else if fully { paused.remove(host) }
        change(host)
    }

    private mutating func decline() {
        command = nil
        perform(plan.answered(.answered(.refused, reason: nil, result: nil), at: now))
    }

    /// The answer of the host is lost, or it never got the command.
    private mutating func timeout() {
        guard let (action, host) = command else { return }
        command = nil
        if !dead.contains(host), isBrokerThere, chance(2) { obey(action, host, fully: true) }
        guard command == nil else { return }
        perform(plan.answered(dead.contains(host) ? .away : .timeout, at: now))
    }

    private mutating func disconnect() {
        isBrokerThere = false
        perform(plan.viewLost("cable cut"))
    }

    private mutating func connect() {
        isBrokerThere = true
        perform(plan.viewReturned())
        for name in names { change(name) }
    }

    private mutating func restart() {
        guard let read = RollingPlan(json: plan.json) else {
            Issue.record("cannot be read back")
            return
        }
        plan = read
        command = nil
        isBrokerThere = false
        connect()
    }

    private mutating func pass(_ seconds: Int) {
        now = now.advanced(by: .seconds(seconds))
        perform(plan.timePassed(at: now))
    }
}
