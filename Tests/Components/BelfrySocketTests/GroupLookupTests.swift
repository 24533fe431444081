// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryListeners
import BelfrySocket
import BelfrySystemd
import Dispatch
import LifecycleTesting
import Synchronization
import TestSupport
import Testing

/// A database that answers when the test lets it, and knows a few names.
nonisolated final class GatedDatabase: Sendable {
    private let gate = DispatchSemaphore(value: 0)
    private let names = Mutex<[String]>([])

    /// What was asked for, in order.
    var asked: [String] { names.withLock { $0 } }

    /// Lets so many questions be answered.
    func open(_ count: Int = 1) { for _ in 0..<count { gate.signal() } }

    func number(_ name: String) -> UInt32? {
        names.withLock { $0.append(name) }
        gate.wait()
        return ["shop": 50, "depot": 60][name]
    }
}

@Suite(.timeLimit(.minutes(1)))
struct GroupLookupTests {
    private let clock = ManualClock()
    private let writer = RecordingWriter()
    private let database = GatedDatabase()
    private let groups: GroupLookup

    init() {
        let log = ServiceLog { [writer] _ in writer }
        groups = GroupLookup(clock, log) { [database] in database.number($0) }
    }

    private var messages: [String] { writer.records.map { "\($0.priority.name) \($0.message)" } }

    /// Waits for the answers of the thread.
    private func wait(until condition: () -> Bool) async {
        while !condition(), !Task.isCancelled { await Task.yield() }
    }

    @Test(arguments: [("4711", 4711 as UInt32), ("root", 0)])
    func numberAndLocalNameAreKnownAtOnce(name: String, number: UInt32) {
        var numbers: [UInt32?] = []
        var answers = 0

        groups.find(name) { numbers.append($0) }
        groups.whenAnswered { answers += 1 }

        #expect(numbers == [number] && answers == 1)
        #expect(database.asked.isEmpty && clock.pendingTimers == 0)
    }

    @Test func nameOfADirectoryIsFoundOnAThread() async {
        var numbers: [UInt32?] = []
        var numbersWhenAnswered: [UInt32?]?

        groups.find("shop") { numbers.append($0) }
        groups.whenAnswered { numbersWhenAnswered = numbers }
        let wasAnswered = numbersWhenAnswered != nil
        database.open()
        await wait { numbersWhenAnswered != nil }

        #expect(!wasAnswered)
        #expect(numbersWhenAnswered == [nil, 50])
        #expect(clock.pendingTimers == 0 && messages.isEmpty)
    }

    @Test func lateAnswerIsToldAndUsed() async {
        var numbers: [UInt32?] = []
        var answers = 0
        groups.find("shop") { numbers.append($0) }
        groups.whenAnswered { answers += 1 }

        clock.advance(by: .milliseconds(4999))
        let answersInTime = answers
        clock.advance(by: .milliseconds(1))
        let answersThen = answers
        groups.whenAnswered { answers += 1 }
        database.open()
        await wait { numbers.count == 2 }

        #expect(answersInTime == 0 && answersThen == 1 && answers == 2)
        #expect(numbers == [nil, 50])
        #expect(
            messages == [
                "warning no answer about group 'shop' in 5 s, its members are not privileged until there is one",
                "notice group 'shop' found",
            ])
    }

    @Test func lateNameThatDoesNotExistIsTold() async {
        groups.find("nobody's") { _ in }
        clock.advance(by: GroupLookup.limit)

        database.open()
        await wait { messages.count == 2 }

        #expect(messages.last == "notice group 'nobody's' not found, a reload looks it up again")
    }

    @Test func oneThreadAsksAndTheLastNameIsNext() async {
        var numbers: [String: [UInt32?]] = [:]
        for name in ["shop", "mill", "depot"] { groups.find(name) { numbers[name, default: []].append($0) } }
        var isAnswered = false
        groups.whenAnswered { isAnswered = true }

        await wait { database.asked == ["shop"] }
        database.open()
        await wait { database.asked.count == 2 }
        let wasAnswered = isAnswered
        database.open()
        await wait { isAnswered }

        #expect(!wasAnswered)
        #expect(database.asked == ["shop", "depot"])
        #expect(numbers == ["shop": [nil], "mill": [nil], "depot": [nil, 60]])
    }

    @Test func localNameIsKnownAtOnceWhileTheDirectoryIsAway() async {
        var numbers: [UInt32?] = []
        var answers = 0
        groups.find("shop") { numbers.append($0) }
        groups.whenAnswered { answers += 1 }

        groups.find("root") { numbers.append($0) }
        let answersBefore = answers
        database.open()
        groups.find("depot") { numbers.append($0) }
        database.open()
        await wait { numbers.last == 60 }

        #expect(answersBefore == 1)
        #expect(numbers == [nil, 0, nil, 60])
        #expect(database.asked == ["shop", "depot"])
    }

    @Test func nameThatWasFoundIsNotLookedUpAgain() async {
        var numbers: [UInt32?] = []
        database.open(2)
        groups.find("shop") { numbers.append($0) }
        await wait { numbers.count == 2 }

        groups.find("root") { _ in }
        groups.find("shop") { numbers.append($0) }
        groups.find("mill") { _ in }
        await wait { database.asked.count == 2 }

        #expect(numbers == [nil, 50, 50])
        #expect(database.asked == ["shop", "mill"])
    }

    @Test func nameThatWasNotFoundIsLookedUpAgain() async {
        var answers = 0
        database.open(2)

        for count in 1...2 {
            groups.find("mill") { _ in }
            groups.whenAnswered { answers += 1 }
            await wait { answers == count }
        }

        #expect(database.asked == ["mill", "mill"])
        #expect(messages.isEmpty)
    }

    @Test func systemHasItsOwnGroups() {
        #expect(GroupLookup.search("root") == 0)
        #expect(GroupLookup.search("no such group") == nil)
    }
}
