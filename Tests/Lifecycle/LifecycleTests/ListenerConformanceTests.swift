// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ListenerConformanceTests {
    private func failures(_ fault: FaultyListener.Fault) async throws -> [String] {
        try await ListenerConformance(timeout: .milliseconds(100)).check { mediator, _ in
            FaultyListener(fault, mediator)
        }
    }

    @Test(arguments: [
        FaultyListener.Fault.none: nil as String?,
        .nameless: "has a name: '' is not 1 to 255 bytes without white space and control characters",
        .unspeakable: "has a name: 'two words' is not 1 to 255 bytes without white space and control characters",
        .declaresTwice: "declares each answer once: 'flushRequested' is there again",
        .offersTwice: "declares each answer once: 'action tidy' is there again",
        .hurries: "leaves itself time: the deadline for 'flushRequested' is 0.0 seconds",
        .hangs: "answers within its deadline: no answer to 'flushRequested'",
        .hangsLater: "answers within its deadline: no answer to 'willTerminate'",
        .throwsError: "answers what it declared: 'didResume' failed: no",
        .refusesReload: "answers what it declared: 'willReload' refused: never",
        .failsWhenItJoinsLate:
            "added or removed at any point: pause: answers what it declared: 'didEnterBackground' failed: not launched",
        .keepsItself: "is gone when it was removed: something still holds 'faulty'",
        .ignoresCancellation: "ends when it is cancelled: an answer was still working afterwards",
    ])
    func failureNamesTheBrokenRule(fault: FaultyListener.Fault, failure: String?) async throws {
        #expect(try await failures(fault) == [failure].compactMap { $0 })
    }

    @Test func everyFaultIsTried() { #expect(FaultyListener.Fault.allCases.count == 13) }

    @Test func waitingByTheManualClockIsNoOverrun() async throws {
        let failures = try await ListenerConformance(timeout: .milliseconds(100)).check { _, clock in
            DozingListener(clock)
        }

        #expect(failures == [])
    }

    @Test func recordingListenerConforms() async throws {
        #expect(try await ListenerConformance().check { RecordingListener("recorder") } == [])
    }
}

/// A listener that breaks one rule, or none.
final class FaultyListener: LifecycleListener {
    enum Fault: String, CaseIterable {
        case none, nameless, unspeakable, declaresTwice, offersTwice, hangs, hangsLater, throwsError, refusesReload
        case ignoresCancellation, keepsItself, failsWhenItJoinsLate, hurries
    }

    let fault: Fault
    private unowned let mediator: LifecycleMediator
    private var observation: LifecycleObservation?
    private var reads = 0
    private var hasLaunched = false

    init(_ fault: Fault, _ mediator: LifecycleMediator) {
        self.fault = fault
        self.mediator = mediator
        if fault == .keepsItself { observation = mediator.addObserver { [self] _ in reads += 0 } }
    }

    var name: String {
        switch fault {
        case .nameless: ""
        case .unspeakable: "two words"
        default: "faulty"
        }
    }

    var answers: [LifecycleAnswer] {
        on(.willFinishLaunching) { [self] _ in hasLaunched = true }
        on(.flushRequested, deadline: fault == .hurries ? .zero : .seconds(3)) { [self] _ in try await flush() }
        on(.didResume) { [self] _ in if fault == .throwsError { throw LifecycleReloadError(["no"]) } }
        on(.willReload) { [self] _ in if fault == .refusesReload { throw LifecycleRefusal("never") } }
        on(.didEnterBackground) { [self] _ in
            if fault == .failsWhenItJoinsLate, !hasLaunched { throw LifecycleReloadError(["not launched"]) }
        }
        on(.willTerminate) { [self] _ in
            if fault == .ignoresCancellation { await Self.sleepHeedlessly() }
            if fault == .hangsLater { await Self.forever() }
        }
        onAction("tidy", title: "tidies up") { _ in }
        if fault == .offersTwice { onAction("tidy", title: "again") { _ in } }
        if fault == .declaresTwice { on(.flushRequested) { _ in } }
    }

    private func flush() async throws {
        if fault == .hangs { await Self.forever() }
        await Task.yield()
    }

    /// Waits until its task is cancelled at its deadline.
    private static func forever() async { while !Task.isCancelled { await Task.yield() } }

    /// Ends in time, unless it is cancelled: then it never ends.
    private static func sleepHeedlessly() async {
        await Task.yield()
        while Task.isCancelled { await Task.yield() }
    }
}
