// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LifecycleNotificationsTests {
    let fixture = MediatorFixture()
    private let ping = LifecycleNotification.Name("com.example.ping")!

    private func post(_ numbers: ClosedRange<Int64>) {
        for number in numbers { fixture.mediator.post(ping, userInfo: ["n": .int(number)]) }
    }

    @Test func sequenceHasWhatIsPosted() async {
        let notifications = fixture.mediator.notifications(named: ping)

        post(1...3)
        fixture.mediator.post(.flushRequested) { _ in }
        var values: [JSONValue?] = []
        for await notification in notifications.prefix(3) { values.append(notification.userInfo["n"]) }

        #expect(values == [1, 2, 3])
    }

    @Test func slowReaderIsToldHowManyWereDropped() async {
        let notifications = fixture.mediator.notifications(named: ping, bufferingNewest: 2)
        var reader = notifications.makeAsyncIterator()
        var read: [String] = []
        func readOne() async {
            guard let notification = await reader.next() else { return }
            read.append("\(notification.userInfo["n"] ?? .null) after \(notification.dropped)")
        }

        post(1...5)
        for _ in 0..<2 { await readOne() }
        post(6...6)
        await readOne()
        post(7...10)
        for _ in 0..<2 { await readOne() }

        #expect(read == ["4 after 3", "5 after 0", "6 after 0", "9 after 2", "10 after 0"])
    }

    @Test func cancelledReaderEndsTheObservation() async {
        let notifications = fixture.mediator.notifications(named: ping)
        let reader = Task.immediate { for await _ in notifications {} }

        reader.cancel()
        await reader.value
        post(1...1)

        #expect(fixture.mediator.knownNames == 0)
    }

    @Test func releasedSequenceEndsTheObservation() {
        _ = fixture.mediator.notifications(named: ping)

        #expect(fixture.mediator.knownNames == 0)
    }

    @Test func observersSeeNothingDropped() {
        var dropped: [Int] = []
        let observation = fixture.mediator.addObserver(forName: ping) { dropped.append($0.dropped) }

        post(1...2)

        #expect(dropped == [0, 0])
        observation.cancel()
    }
}
