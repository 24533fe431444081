// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import LifecycleTesting
import Testing

/// Listeners that all answer at once, some of which change what the others do.
struct PromptAnswerTests {
    private final class Telling: LifecycleListener {
        let name: String
        var answersFlush = true
        private let body: () -> Void

        init(_ name: String, _ body: @escaping () -> Void) {
            self.name = name
            self.body = body
        }

        var answers: [LifecycleAnswer] {
            if answersFlush {
                on(.flushRequested) { [body] _ in body() }
            } else {
                on(.statusRequested) { [body] _ in body() }
            }
        }
    }

    private let mediator = LifecycleMediator(clock: ManualClock())

    @Test func whoAnswersOtherwiseMeanwhileIsNotTold() throws {
        var told: [String] = []
        var change: () -> Void = {}
        let second = Telling("second") { told.append("second") }
        let first = Telling("first") {
            told.append("first")
            change()
        }
        let third = Telling("third") { told.append("third") }
        for listener in [first, second, third] { try mediator.addListener(listener) }
        var reports: [LifecycleReport] = []
        mediator.addReportObserver { reports.append($0) }

        mediator.post(.flushRequested)
        change = { [mediator] in
            second.answersFlush = false
            mediator.updateAnswers(of: second)
        }
        mediator.post(.flushRequested)

        #expect(told == ["first", "second", "third", "first", "third"])
        #expect(reports.map { $0.listeners.map(\.listener) } == [["first", "second", "third"], ["first", "third"]])
    }

    @Test func whoIsRemovedMeanwhileIsNotTold() throws {
        var told: [String] = []
        let second = Telling("second") { told.append("second") }
        let first = Telling("first") { [mediator] in
            told.append("first")
            mediator.removeListener(second)
        }
        for listener in [first, second] { try mediator.addListener(listener) }

        mediator.post(.flushRequested)

        #expect(told == ["first"])
    }
}
