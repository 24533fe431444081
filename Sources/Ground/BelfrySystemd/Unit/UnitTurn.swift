// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Finds out when systemd would stop a unit that is being stopped: everything that is ordered after it stops first
/// (`Before` of org.freedesktop.systemd1(5)).
///
/// A service that stands for the unit is ordered after it too, and told to stop at the same time as the others. It
/// waits for them, but not for one whose job waits for its own: what starts early ends after all services.
@MainActor
package final class UnitTurn {
    private let bus: SystemBus
    private let own: String
    private let done: (BusError?) -> Void
    private var jobs: [String: UnitJob] = [:]
    /// The unit itself.
    private var unit: UnitWatch?
    /// Those that stop before it.
    private var others: [String: UnitWatch] = [:]
    /// Why one of them is not waited for.
    private var problem: BusError?
    private var isOver = false

    /// The units that have still to stop.
    package var names: [String] { others.filter { isPending($0, $1) }.keys.sorted() }

    /// Waits for the turn of a unit.
    ///
    /// - Parameters:
    ///   - unit: the name of the unit.
    ///   - own: the service that stands for it, which waits.
    ///   - done: called once: when it is the turn of the unit, when it is not to be stopped (any more), and with the
    ///     reason when the manager does not say, so that it may be too early.
    package init(of unit: String, for own: ServiceManagerUnit, _ done: @escaping (BusError?) -> Void) {
        bus = own.bus
        self.own = own.name
        self.done = done
        let unit = ServiceManagerUnit(name: unit, on: bus)
        var (id, before): (String, [String]) = ("", [])
        // Answers come in the order of the questions.
        ask(unit.text("Id", of: "Unit")) { _, answer in id = answer }
        ask(unit.texts("Before", of: "Unit")) { _, answer in before = answer }
        ask(ServiceManagerUnit.jobs) { turn, answer in
            turn.jobs = answer
            guard turn.isEnding(id) else { return turn.end() }
            turn.look(at: before.filter { turn.isEnding($0) && $0 != turn.own }, pending: [], of: id)
        }
        bus.addObserver { [weak self] isReady in
            if !isReady, let self { end(.notConnected("wait for '\(names.joined(separator: "', '"))'")) }
        }
    }

    private func isEnding(_ unit: String) -> Bool { UnitEnding.Job(of: unit, in: jobs) != nil }

    private func ask<Answer>(_ question: BusQuestion<Answer>, _ body: @escaping (UnitTurn, Answer) -> Void) {
        bus.ask(question, timeout: ServiceManagerUnit.longestAnswer) { [weak self] answer in
            guard let self, !isOver else { return }
            switch answer {
            case .success(let answer): body(self, answer)
            case .failure(let error): end(error)
            }
        }
    }

    /// Follows those of the units whose jobs do not wait for that of this service.
    private func look(at units: [String], pending: [String], of id: String) {
        guard let next = units.last else {
            if pending.isEmpty { return end() }
            for name in pending { others[name] = follow(name) }
            unit = follow(id)
            return
        }
        look(before: [next], seen: [next]) { turn, isCircle in
            turn.look(at: units.dropLast(), pending: pending + (isCircle ? [] : [next]), of: id)
        }
    }

    /// Finds out whether the job of one of these units waits for that of this service, perhaps by way of others.
    private func look(before units: [String], seen: Set<String>, _ then: @escaping (UnitTurn, _ isCircle: Bool) -> Void)
    {
        guard let job = units.last.flatMap({ jobs[$0] }) else { return then(self, false) }
        bus.ask(ServiceManagerUnit.jobs(before: job), timeout: ServiceManagerUnit.longestAnswer) { [weak self] answer in
            guard let self, !isOver else { return }
            var new: [String] = []
            switch answer {
            case .success(let before): new = before.keys.filter { jobs[$0] != nil && !seen.contains($0) }
            // A job that has ended meanwhile waits for nothing.
            case .failure(let error) where error.name == "org.freedesktop.DBus.Error.UnknownObject": break
            // What is not known is not waited for: perhaps without end.
            case .failure(let error):
                problem = error
                return then(self, true)
            }
            if new.contains(own) { return then(self, true) }
            look(before: units.dropLast() + new, seen: seen.union(new), then)
        }
    }

    private func follow(_ name: String) -> UnitWatch { UnitWatch(name, on: bus) { [weak self] in self?.check() } }

    /// Whether the job that was found is still to be done. Another in its place is not waited for.
    private func isPending(_ name: String, _ watch: UnitWatch) -> Bool {
        guard let state = watch.state, let job = jobs[name] else { return true }
        return state.job == job.number && !["inactive", "failed"].contains(state.activeState)
    }

    /// The job of the unit itself ends when the stop is called off.
    private func check() {
        if unit.map({ !isPending($0.state?.id ?? "", $0) }) ?? false || names.isEmpty { end() }
    }

    private func end(_ error: BusError? = nil) {
        guard !isOver else { return }
        isOver = true
        (unit, others) = (nil, [:])
        done(error ?? problem)
    }
}
