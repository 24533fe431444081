// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfryTesting
import Glibc
import LifecycleTesting
import TestSupport
import Testing

/// A reload moves the server as a transaction.
@Suite(.timeLimit(.minutes(1)))
struct ServerReloadTests {
    let directory: TemporaryDirectory
    let old: ServerAddress
    let new: ServerAddress

    init() throws {
        directory = try TemporaryDirectory()
        (old, new) = (.port(try LoopbackSocket.freePort()), .path(directory.path("new")))
    }

    /// Refuses a reload at its end.
    private func refusing(_ act: @escaping () -> Void = {}) -> ClosureListener {
        ClosureListener("refusing") {
            $0.on(.didReload) { _ in
                act()
                throw LifecycleRefusal("no")
            }
        }
    }

    @Test func reloadMovesAndKeepsConnections() throws {
        let service = try ServerFixture.active(at: old)
        let client = TestClient(old)
        try service.accept(1)
        // It has not been accepted when the reload comes.
        let waiting = TestClient(old)

        #expect(service.reload(new) == [])

        #expect(service.accepted.count == 2 && !client.isEnded && !waiting.isEnded && service.asked == 0)
        let newcomer = TestClient(new)
        try service.accept(3)
        #expect(!newcomer.isRefused && TestClient(old).isRefused)
    }

    @Test func addressThatCannotBeBoundRefusesTheReload() throws {
        let other = try ServerFixture(at: new)
        other.perform(.launch)
        let service = try ServerFixture.active(at: old)

        #expect(service.reload(new) == ["unable to listen on '\(new)': Address already in use (EADDRINUSE)"])

        #expect(!TestClient(old).isRefused && service.settings.value.listen == old)
        #expect(service.server?.health == .healthy)
    }

    @Test func dryRunChangesNothing() throws {
        let service = try ServerFixture.active(at: old)
        service.configure(new)

        service.mediator.checkReload { _ in }

        #expect(!TestClient(old).isRefused && TestClient(new).isRefused && access(directory.path("new"), F_OK) != 0)
    }

    @Test func reloadThatAnotherListenerRefusesMovesBack() throws {
        let service = try ServerFixture(at: old)
        try service.mediator.addListener(refusing())
        service.perform(.launch)

        #expect(service.reload(new) == ["no"])

        #expect(!TestClient(old).isRefused && TestClient(new).isRefused)
    }

    @Test func reloadInAPauseMovesWithoutAccepting() throws {
        let service = try ServerFixture(at: old)
        service.perform(.launch, .pause)

        #expect(service.reload(new) == [])
        #expect(TestClient(old).isRefused && TestClient(new).isRefused)
        service.perform(.resume)

        #expect(TestClient(old).isRefused && !TestClient(new).isRefused)
    }

    @Test func socketOfSystemdIsNotLeft() throws {
        let (descriptor, port) = try LoopbackSocket.listen()
        let service = try ServerFixture(at: .systemd("echo"), received: [descriptor])
        service.perform(.launch)

        #expect(service.reload(new) == ["unable to move from 'systemd:echo' to '\(new)' without a restart"])

        #expect(!TestClient(.port(port)).isRefused)
    }

    @Test func serverThatCannotMoveBackIsUnhealthyUntilAReload() throws {
        let old = ServerAddress.path(directory.path("old"))
        let service = try ServerFixture(at: old)
        let refusing = refusing { [directory] in mkdir(directory.path("old"), 0o700) }
        try service.mediator.addListener(refusing)
        service.perform(.launch)

        #expect(service.reload(new).count == 2)
        #expect(service.server?.health != .healthy && TestClient(new).isRefused)
        rmdir(directory.path("old"))
        service.mediator.removeListener(refusing)

        #expect(service.reload(old) == [] && service.server?.health == .healthy && !TestClient(old).isRefused)
    }

    @Test func clientsThatWaitWhenAServerCannotMoveBackAreAccepted() throws {
        let old = ServerAddress.path(directory.path("old"))
        let service = try ServerFixture(at: old)
        var client: TestClient?
        try service.mediator.addListener(
            refusing { [directory, new] in
                mkdir(directory.path("old"), 0o700)
                client = TestClient(new)
            })
        service.perform(.launch)

        #expect(service.reload(new).count == 2)

        #expect(service.accepted.count == 1 && client?.isEnded == false && TestClient(new).isRefused)
    }

    @Test func connectionsOfAServerThatCannotMoveBackAreDrained() throws {
        let old = ServerAddress.path(directory.path("old"))
        let service = try ServerFixture(at: old)
        try service.mediator.addListener(refusing { [directory] in mkdir(directory.path("old"), 0o700) })
        service.perform(.launch)
        let client = TestClient(old)
        try service.accept(1)
        #expect(service.reload(new).count == 2)

        service.perform(.stop)

        #expect(service.asked == 1 && service.mediator.state == .inactive && !client.isEnded)
    }
}
