// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLease
import TestSupport
import Testing

@testable import belfry_fleetd

@Suite(.timeLimit(.minutes(1)))
struct LeaseKeeperTests {
    /// A lock server that answers when it is told to.
    private final class Server {
        var calls: [String] = []
        private var waiting: [LeaseClient.Handler] = []

        func call(_ name: String) -> LeaseKeeper.Call {
            { [self] in
                calls.append(name)
                waiting.append($0)
            }
        }

        func answer(_ error: LeaseError? = nil) { waiting.removeFirst()(error.map { .failure($0) } ?? .success(())) }
    }

    private let loop: MainEventLoop
    private let server: Server
    private let keeper: LeaseKeeper

    init() throws {
        loop = try MainEventLoop()
        let server = Server()
        self.server = server
        keeper = LeaseKeeper(on: loop, lock: server.call("lock"), unlock: server.call("unlock"))
    }

    @Test func leaseOfAnEarlierProcessIsGivenBackOnce() {
        keeper.hostChanged(isActive: false)
        #expect(server.calls.isEmpty)
        keeper.hostChanged(isActive: true)
        #expect(server.calls == ["unlock"])
        server.answer()
        keeper.hostChanged(isActive: true)
        #expect(server.calls == ["unlock"])
    }

    @Test func leaseIsHeldUntilTheHostIsActiveAgain() {
        keeper.hostChanged(isActive: true)
        server.answer()
        var results: [String?] = []
        keeper.acquire(until: .max) { results.append($0) }
        #expect(server.calls == ["unlock", "lock"] && results.isEmpty)
        server.answer()
        #expect(results == [nil])
        keeper.commandEnded(isPaused: true)
        keeper.hostChanged(isActive: false)
        #expect(server.calls == ["unlock", "lock"])
        keeper.hostChanged(isActive: true)
        #expect(server.calls == ["unlock", "lock", "unlock"])
    }

    @Test func leaseOfACommandThatFailedIsGivenBack() {
        keeper.hostChanged(isActive: true)
        server.answer()
        keeper.acquire(until: .max) { _ in }
        server.answer()
        keeper.commandEnded(isPaused: false)
        #expect(server.calls == ["unlock", "lock", "unlock"])
    }

    @Test func refusedLeaseIsAskedForAgainUntilTheDeadline() throws {
        var result: String??
        keeper.acquire(until: UnixTime.now + 1_500_000) { result = $0 }
        server.answer(LeaseError(mayTryAgain: true, reason: "full"))
        #expect(result == nil)
        try loop.turn { server.calls.count == 2 }
        server.answer(LeaseError(mayTryAgain: true, reason: "full"))
        #expect(result == .some("no lease: full"))
    }

    @Test func errorThatStaysIsNotRepeated() {
        var result: String??
        keeper.acquire(until: .max) { result = $0 }
        server.answer(LeaseError(mayTryAgain: false, reason: "unknown group"))
        #expect(result == .some("no lease: unknown group") && server.calls == ["lock"])
    }

    @Test func leaseThatCannotBeGivenBackIsGivenBackLater() throws {
        keeper.hostChanged(isActive: true)
        server.answer(LeaseError(mayTryAgain: true, reason: "away"))
        try loop.turn { server.calls.count == 2 }
        #expect(server.calls == ["unlock", "unlock"])
    }

    @Test func callsWaitForEachOther() {
        keeper.hostChanged(isActive: true)
        keeper.acquire(until: .max) { _ in }
        #expect(server.calls == ["unlock"])
        server.answer()
        #expect(server.calls == ["unlock", "lock"])
    }
}
