// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfryTesting
import CBelfry
import Glibc
import TestSupport
import Testing

/// Sockets of systemd, which has copies of them.
@Suite(.timeLimit(.minutes(1)))
struct SharedSocketTests {
    let shared: OwnedDescriptor
    let address: ServerAddress

    init() throws {
        let (descriptor, port) = try LoopbackSocket.listen()
        (shared, address) = (OwnedDescriptor(owning: descriptor), .port(port))
    }

    private func service() throws -> ServerFixture {
        try ServerFixture(at: .systemd("echo"), received: [dup(shared.number)])
    }

    @Test func clientsWaitForTheEndOfThePause() throws {
        let service = try service()
        service.perform(.launch, .pause)

        let client = TestClient(address)
        try service.loop.turnWithoutWaiting()
        #expect(!client.isRefused && service.accepted.isEmpty)
        service.perform(.resume)

        try service.accept(1)
    }

    @Test func clientsWaitForTheNextProcess() throws {
        let first = try service()
        first.perform(.launch, .stop)
        let client = TestClient(address)
        #expect(!client.isRefused)

        let second = try service()
        second.perform(.launch)

        try second.accept(1)
        #expect(first.accepted.isEmpty)
    }

    @Test func missingSocketRefusesTheLaunch() throws {
        #expect(
            try reasons([]) == [
                "unable to receive from systemd the socket 'echo': No such file or directory (ENOENT)"
            ])
    }

    @Test func socketThatDoesNotListenRefusesTheLaunch() throws {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)

        #expect(try reasons([socket]) == ["unable to accept on socket 'echo': Invalid argument (EINVAL)"])
    }

    private func reasons(_ received: [Int32]) throws -> [String] {
        try ServerFixture(at: .systemd("echo"), received: received).problems(of: .launch)
    }
}
