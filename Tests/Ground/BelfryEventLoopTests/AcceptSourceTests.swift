// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryEventLoop
import BelfryLinux
import CBelfry
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct AcceptSourceTests {
    @Test func acceptThatFailsIsNotRepeatedAtOnce() throws {
        let loop = try MainEventLoop()
        // A socket that is always ready, and on which accept(2) always fails.
        var ends: [Int32] = [-1, -1]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        let sockets = ends.map { OwnedDescriptor(owning: $0) }
        send(ends[1], "x", 1, 0)
        var errors: [SystemError] = []

        let source = try AcceptSource(sockets[0].number, on: loop) {
            close($0)
        } onError: {
            errors.append($0)
        }
        try loop.turn { !errors.isEmpty }
        try loop.turnWithoutWaiting()

        #expect(errors == [SystemError(EINVAL, verb: "accept on", object: "socket")])
        try loop.turn { errors.count == 2 }
        source.cancel()
    }

    @Test func sourceThatIsCancelledByItsHandlerAcceptsNoMore() throws {
        let loop = try MainEventLoop()
        let (descriptor, port) = try LoopbackSocket.listen()
        let listening = OwnedDescriptor(owning: descriptor)
        let clients = (0..<3).map { _ in OwnedDescriptor(owning: LoopbackSocket.connect(port)) }
        var source: AcceptSource?
        var accepted = 0

        source = try AcceptSource(listening.number, on: loop) {
            close($0)
            accepted += 1
            source?.cancel()
            source = nil
        } onError: { _ in
        }
        try loop.turn { accepted > 0 }
        try loop.turnWithoutWaiting()

        #expect(accepted == 1 && clients.count == 3)
    }
}
