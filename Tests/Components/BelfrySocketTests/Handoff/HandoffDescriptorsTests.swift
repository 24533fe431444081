// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle
import BelfrySocket
import BelfrySystemd
import TestSupport
import Testing
import Varlink

/// When descriptors of subscribers are stored with the service manager.
@Suite(.timeLimit(.minutes(1)))
struct HandoffDescriptorsTests {
    let directory: TemporaryDirectory
    let manager: StandInSocket

    init() throws {
        directory = try TemporaryDirectory()
        manager = try StandInSocket(at: directory.path("notify"))
    }

    private func fixture(storeDelay: Duration) throws -> SocketFixture {
        let fixture = try SocketFixture(
            manager: ServiceManagerSocket(address: manager.path), storeDelay: storeDelay)
        while manager.hasDatagram { #expect(!isAboutSubscriber(manager.next())) }
        return fixture
    }

    private func isAboutSubscriber(_ message: [String]) -> Bool {
        message.contains { $0.hasPrefix("FDNAME=belfry-subscriber-") }
    }

    @Test func shortSubscriptionIsNotStored() throws {
        let fixture = try fixture(storeDelay: .seconds(60))
        for _ in 0..<100 {
            let subscriber = try fixture.more("Subscribe", [:])
            try fixture.turn { !subscriber.replies.isEmpty }
            subscriber.vanish()
        }
        try fixture.loop.turnWithoutWaiting()

        #expect(!manager.hasDatagram)
        fixture.socket.close()
        #expect(!manager.hasDatagram)
    }

    @Test func longSubscriptionIsStoredAndRemovedOnce() throws {
        let fixture = try fixture(storeDelay: .milliseconds(50))
        let subscriber = try fixture.more("Subscribe", [:])
        try fixture.turn { manager.hasDatagram }

        #expect(manager.next() == ["FDSTORE=1", "FDNAME=belfry-subscriber-0"])
        #expect(manager.closeDescriptors() == 1)
        subscriber.vanish()
        try fixture.turn { manager.hasDatagram }
        #expect(manager.next() == ["FDSTOREREMOVE=1", "FDNAME=belfry-subscriber-0"])
        #expect(!manager.hasDatagram)
    }

    @Test func closingStoresRecentSubscribers() throws {
        let fixture = try fixture(storeDelay: .seconds(60))
        let subscribers = try (0..<3).map { _ in try fixture.more("Subscribe", [:]) }
        try fixture.turn { subscribers.allSatisfy { !$0.replies.isEmpty } }
        #expect(!manager.hasDatagram)

        fixture.socket.close()

        let stored = Set((0..<3).map { _ in manager.next().last ?? "" })
        #expect(stored == Set((0..<3).map { "FDNAME=belfry-subscriber-\($0)" }))
        #expect(!manager.hasDatagram)
    }
}
