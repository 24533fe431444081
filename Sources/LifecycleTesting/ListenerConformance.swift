// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// What every listener owes its mediator, as a check to call from your own tests:
///
///     @Test func playsByTheRules() async throws {
///         let failures = try await ListenerConformance().check { VideoListener() }
///         #expect(failures == [])
///     }
///
/// A listener declares each interest once, under a name that can be written down; answers all it declared within the
/// deadline, through a whole life; bears being added and removed at any point; ends when it is cancelled; and is gone
/// when it was removed. Each failure begins with the rule that was broken.
public struct ListenerConformance {
    /// The configuration that the listener finds, and is given again by a reload.
    public var configuration = LifecycleConfiguration()
    /// What travels with notifications that need more than the catalogue's, such as typed ones of your own.
    public var userInfo: [LifecycleNotification.Name: UserInfo] = [:]
    /// How long an answer may take by the real clock, for work on threads or in children. The deadlines themselves run
    /// on a manual clock, of which nine tenths pass before the real one is waited for.
    public var patience: Duration

    /// A check with what is usual.
    public init(patience: Duration = .seconds(2)) { self.patience = patience }

    /// Checks a listener that needs nothing.
    ///
    /// - Parameter make: makes a fresh one each time.
    /// - Returns: what is wrong, a line each; nothing when all is well.
    /// - Throws: what `make` does, or `ListenerOrderError` for a listener that its mediator refuses.
    public func check(_ make: () throws -> any LifecycleListener) async throws -> [String] {
        try await check { _, _ in try make() }
    }

    /// Checks a listener that needs its mediator or the clock.
    ///
    /// - Parameter make: makes a fresh one each time, for the mediator that it will be added to.
    /// - Returns: what is wrong, a line each; nothing when all is well.
    /// - Throws: what `make` does, or `ListenerOrderError` for a listener that its mediator refuses.
    public func check(
        _ make: (LifecycleMediator, ManualClock) throws -> any LifecycleListener
    ) async throws -> [String] {
        let declared = try declaration(make)
        guard declared.isEmpty else { return declared }
        let steps = ConformanceLife.steps
        let whole = try await life(make, steps, from: 0, to: steps.count)
        guard whole.isEmpty else { return whole }
        for start in steps.indices {
            let part = try await life(make, steps, from: start, to: start + 1)
            if !part.isEmpty { return part.map { "added or removed at any point: \(steps[start]): \($0)" } }
        }
        return try await cancellation(make)
    }

    private typealias Make = (LifecycleMediator, ManualClock) throws -> any LifecycleListener

    private func declaration(_ make: Make) throws -> [String] {
        let stage = ConformanceStage(self)
        let listener = try make(stage.mediator, stage.clock)
        return ListenerDeclaration(listener).failures
    }

    /// One life, in which the listener is there from one step to another.
    private func life(_ make: Make, _ steps: [ConformanceLife.Step], from: Int, to: Int) async throws -> [String] {
        let stage = ConformanceStage(self)
        let life = ConformanceLife(stage)
        var listener: (any LifecycleListener)? = try make(stage.mediator, stage.clock)
        stage.watch(listener)
        for (index, step) in steps.enumerated() {
            if index == from { try stage.add(&listener) }
            if index == to { stage.remove() }
            guard await life.take(step) else { return stage.failures }
        }
        stage.remove()
        listener = nil
        return stage.failures.isEmpty ? await stage.leak() : stage.failures
    }

    /// A launch and a stop that leave no time for more than a first step.
    private func cancellation(_ make: Make) async throws -> [String] {
        let stage = ConformanceStage(self, deadlines: .none)
        let life = ConformanceLife(stage)
        var listener: (any LifecycleListener)? = try make(stage.mediator, stage.clock)
        stage.watch(listener)
        try stage.add(&listener)
        for step in ConformanceLife.steps { await life.takeAtOnce(step) }
        stage.remove()
        return await stage.leak().map { _ in "ends when it is cancelled: an answer was still working afterwards" }
    }
}

extension LifecycleDeadlines {
    /// No time at all.
    fileprivate static var none: LifecycleDeadlines {
        LifecycleDeadlines(listener: .zero, stop: .zero, transition: .zero)
    }
}
