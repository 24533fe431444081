// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfrySources
import BelfrySystemd
import Glibc
import TestSupport
import Testing

/// With a stand-in for the service manager.
@Suite(.timeLimit(.minutes(1)))
struct ReloadContinuationTests {
    let fixture: BusSourceFixture
    let manager: BusPeer
    let unit: ServiceManagerUnit
    let reloads: ReloadContinuation
    let resumes = Counter()

    final class Counter { var value = 0 }

    init() throws {
        fixture = try BusSourceFixture()
        manager = try fixture.peer("org.freedesktop.systemd1")
        unit = ServiceManagerUnit(name: "lantern.service", on: fixture.bus)
        reloads = ReloadContinuation(unit: unit)
    }

    @Test func continueOfAReloadResumesNothingAndTheNextOneDoes() throws {
        answer("notify-reload")

        reloads.begin()
        receive()
        try turnUntilAnswered()
        #expect(resumes.value == 0)

        receive()
        #expect(resumes.value == 1)
    }

    @Test func eachReloadHasOneContinue() throws {
        answer("notify-reload")

        for _ in 0..<3 {
            reloads.begin()
            receive()
            try turnUntilAnswered()
        }

        #expect(resumes.value == 0)
    }

    /// The manager sends the signals of the next reload before its answer about this one is read.
    @Test(arguments: 1...4)
    func reloadsThatFollowOneAnotherResumeNothing(count: Int) throws {
        answer("notify-reload")

        for _ in 0..<count {
            reloads.begin()
            receive()
        }
        try turnUntilAnswered()
        #expect(resumes.value == 0)

        receive()
        #expect(resumes.value == 1)
    }

    @Test func reloadThatKeepsTheLoopForAWhileResumesNothing() throws {
        answer("notify-reload")

        reloads.begin()
        receive()
        usleep(300_000)
        try turnUntilAnswered()

        #expect(resumes.value == 0)
    }

    @Test func continueAfterTheAnswerResumes() throws {
        answer("notify-reload")

        reloads.begin()
        try turnUntilAnswered()
        receive()

        #expect(resumes.value == 1)
    }

    @Test func secondContinueResumesAtOnce() {
        reloads.begin()
        receive()
        #expect(resumes.value == 0)
        receive()

        #expect(resumes.value == 1)
    }

    @Test(arguments: ["notify", nil])
    func continueResumesOnceItIsKnownToBelongToNoReload(type: String?) throws {
        if let type { answer(type) } else { manager.refuse("Get", with: "org.freedesktop.DBus.Error.Failed") }

        reloads.begin()
        receive()
        try turnUntilAnswered()

        #expect(resumes.value == 1)
    }

    @Test func continueResumesAtOnceWithoutAManagerThatCanBeAsked() throws {
        let without = ReloadContinuation(unit: nil)
        without.begin()
        without.receive { [resumes] in resumes.value += 1 }
        #expect(resumes.value == 1)

        fixture.daemon.stop()
        try fixture.turn { !fixture.bus.isReady }
        reloads.begin()
        receive()
        #expect(resumes.value == 2)
    }

    private func receive() { reloads.receive { [resumes] in resumes.value += 1 } }

    private func answer(_ type: String) {
        manager.answer(property: "Type", "s") { BusWriting.text(type, to: $0) }
    }

    /// Turns the loop until all that was asked before is answered: answers come in the order of the questions.
    private func turnUntilAnswered() throws {
        var isAnswered = false
        fixture.bus.ask(unit.text("Type", of: "Service")) { _ in isAnswered = true }
        try fixture.turn { isAnswered }
    }
}
