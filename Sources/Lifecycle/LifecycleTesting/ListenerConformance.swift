// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Lifecycle

/// Checks the rules that every listener must follow. Call it from your own tests:
///
///     @Test func followsTheRules() async throws {
///         let failures = try await ListenerConformance().check { VideoListener() }
///         #expect(failures == [])
///     }
///
/// A listener has a valid name and declares each notification once. It answers all of them within the deadline during a
/// whole lifecycle. It can be added and removed at any point. Its answers end when they are cancelled. Nothing retains
/// it after its removal. Each failure begins with the rule that was broken.
@MainActor public struct ListenerConformance {
    /// The configuration, also for reloads.
    public var configuration = LifecycleConfiguration()
    /// User info for notifications that need it, such as typed ones of your own.
    public var userInfo: [LifecycleNotification.Name: UserInfo] = [:]
    /// How long an answer may take in real time, for work on threads or in child processes. The deadlines themselves run
    /// on a manual clock, of which nine tenths pass first.
    public var timeout: Duration

    /// A check without configuration and user info.
    public init(timeout: Duration = .seconds(2)) { self.timeout = timeout }

    /// Checks a listener that needs neither its mediator nor the clock.
    ///
    /// - Parameter make: makes a new listener each time.
    /// - Returns: the failures, one line each.
    /// - Throws: what `make` does, or `ListenerOrderError` for a listener that its mediator refuses.
    public func check(_ make: () throws -> any LifecycleListener) async throws -> [String] {
        try await check { _, _ in try make() }
    }

    /// Checks a listener that needs its mediator or the clock.
    ///
    /// - Parameter make: makes a new listener each time, for the mediator that it will be added to.
    /// - Returns: the failures, one line each.
    /// - Throws: what `make` does, or `ListenerOrderError` for a listener that its mediator refuses.
    public func check(
        _ make: (LifecycleMediator, ManualClock) throws -> any LifecycleListener
    ) async throws -> [String] {
        let declared = try declaration(make)
        guard declared.isEmpty else { return declared }
        let steps = ConformanceLife.steps
        for steps in [steps, ConformanceLife.pausedSteps] {
            let whole = try await life(make, steps, from: 0, to: steps.count)
            guard whole.isEmpty else { return whole }
        }
        for start in steps.indices {
            let part = try await life(make, steps, from: start, to: start + 1)
            if !part.isEmpty { return part.map { "added or removed at any point: \(steps[start]): \($0)" } }
        }
        return try await cancellation(make)
    }

    private typealias Make = (LifecycleMediator, ManualClock) throws -> any LifecycleListener

    /// The rules for the declarations of a listener.
    private func declaration(_ make: Make) throws -> [String] {
        let stage = ConformanceStage(self)
        let listener = try make(stage.mediator, stage.clock)
        let (name, answers) = (listener.name, listener.answers)
        var failures: [String] = []
        let isText = name.unicodeScalars.allSatisfy {
            !$0.properties.isWhitespace && $0.value >= 0x20 && $0.value != 0x7F
        }
        if name.isEmpty || name.utf8.count > 255 || !isText {
            failures.append("has a name: '\(name)' is not 1 to 255 bytes without white space and control characters")
        }
        var seen: Set<String> = []
        for answer in answers {
            let declared = answer.action.map { "action \($0.id)" } ?? answer.name.rawValue
            if !seen.insert(declared).inserted {
                failures.append("declares each answer once: '\(declared)' is there again")
            }
            if let deadline = answer.deadline, deadline <= .zero {
                failures.append("leaves itself time: the deadline for '\(answer.name)' is \(deadline)")
            }
        }
        return failures
    }

    /// Runs a lifecycle in which the listener is present from one step to another.
    private func life(_ make: Make, _ steps: [ConformanceLife.Step], from: Int, to: Int) async throws -> [String] {
        let stage = ConformanceStage(self)
        let life = ConformanceLife(stage)
        var listener: (any LifecycleListener)? = try make(stage.mediator, stage.clock)
        stage.watch(listener)
        for (index, step) in steps.enumerated() {
            if index == from { try stage.add(&listener) }
            if index == to { stage.remove() }
            guard await life.run(step) else { return stage.failures }
        }
        stage.remove()
        listener = nil
        return stage.failures.isEmpty ? await stage.leak() : stage.failures
    }

    /// Runs a lifecycle with deadlines of zero, which leave time for a first step only.
    private func cancellation(_ make: Make) async throws -> [String] {
        let none = LifecycleDeadlines(listener: .zero, stop: .zero, transition: .zero)
        let stage = ConformanceStage(self, deadlines: none)
        let life = ConformanceLife(stage)
        var listener: (any LifecycleListener)? = try make(stage.mediator, stage.clock)
        stage.watch(listener)
        try stage.add(&listener)
        for step in ConformanceLife.steps { await life.begin(step) }
        stage.remove()
        return await stage.leak().map { _ in "ends when it is cancelled: an answer was still working afterwards" }
    }
}
