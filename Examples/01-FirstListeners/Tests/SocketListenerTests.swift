// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import BelfryTesting
import LifecycleTesting
import Testing

@testable import FirstListeners

/// Clients on a socket as systemd passes it.
struct SocketListenerTests {
    private let socket: TestSocket
    private let test: TestService

    init() throws {
        let socket = try TestSocket()
        self.socket = socket
        test = try TestService(descriptors: [("clients", socket.copy())]) { service in
            let video = VideoListener(service.loop, service.mediator, "/nowhere")
            video.decodeRestorableState(VideoListener.Position(frame: 41))
            try service.mediator.addListener(SocketListener(service, { _ in .systemd("clients") }, video))
        }
    }

    @Test func clientIsToldWhichFrameIsShown() async throws {
        await test.script.run(.perform(.launch))
        let client = try socket.connect()

        try client.send("which frame?\n")
        try await test.until { client.isEnded }

        #expect(client.text == "frame 41\n")
    }

    @Test func clientThatWasAcceptedGetsItsAnswerInAPause() async throws {
        await test.script.run(.perform(.launch))
        let client = try socket.connect()
        try await test.until { test.service.mediator.listeners[0].activity == "1 connection at systemd:clients" }

        test.service.mediator.perform(.pause) { _ in }
        #expect(test.service.mediator.state == .inactive)
        try client.send("which frame?\n")
        try await test.until { client.isEnded }

        #expect(client.text == "frame 41\n" && test.service.mediator.state == .background)
    }

    @Test func clientOfAPauseWaitsForItsEnd() async throws {
        await test.script.run(.perform(.launch), .perform(.pause))
        let client = try socket.connect()
        try client.send("which frame?\n")

        #expect(client.text == "")
        await test.script.run(.perform(.resume))
        try await test.until { client.isEnded }

        #expect(client.text == "frame 41\n")
    }
}
