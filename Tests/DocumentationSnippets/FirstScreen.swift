// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

/// The service of README.md.
enum FirstScreen {
    final class VideoListener: LifecycleListener {
        let name = "video", player = Player()
        var answers: [LifecycleAnswer] {
            on(.didBecomeActive) { [self] _ in "plays from frame \(player.play())" }
            on(.willResignActive) { [self] _ in "stopped at frame \(player.stop())" }
            on(.didEnterBackground) { [self] _ in "dropped \(player.dropFrames()) decoded frames from memory" }
        }
    }

    final class SocketListener: LifecycleListener {
        let name = "clients", server = Server("127.0.0.1:7008")
        var answers: [LifecycleAnswer] {
            on(.didBecomeActive) { [self] _ in "accepts connections at \(server.accept())" }
            on(.willResignActive) { [self] _ in "accepts no connections at \(server.refuse())" }
        }
    }

    struct Player {
        func play() -> Int { 0 }
        func stop() -> Int { 203 }
        func dropFrames() -> Int { 97 }
    }

    struct Server {
        private let address: String

        init(_ address: String) { self.address = address }

        func accept() -> String { address }
        func refuse() -> String { address }
    }

    static func videod() {
        ServiceMain.run(ServiceOptions(name: "videod")) { service in
            try service.mediator.addListener(VideoListener())
            try service.mediator.addListener(SocketListener())
        }
    }
}
