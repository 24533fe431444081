// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfrySocket

/// The service of README.md.
enum FirstScreen {
    final class VideoListener: LifecycleListener {
        let name = "video"
        private let player = Player()

        var answers: [LifecycleAnswer] {
            on(.didBecomeActive) { [self] _ in "plays from frame \(player.play())" }
            on(.willResignActive) { [self] _ in "stopped at frame \(player.stop())" }
        }
    }

    final class SocketListener: LifecycleListener {
        let name = "socket"
        private let clients = Clients()

        var answers: [LifecycleAnswer] {
            on(.didBecomeActive) { [self] _ in clients.accept() }
            on(.willResignActive) { [self] _ in "closed \(clients.refuse()) connections, accepts none" }
        }
    }

    struct Player {
        func play() -> Int { 0 }
        func stop() -> Int { 203 }
    }

    struct Clients {
        func accept() {}
        func refuse() -> Int { 3 }
    }

    static func videod() {
        ServiceMain.run(ServiceOptions(name: "videod"), with: [.socket]) { service in
            try service.mediator.addListener(VideoListener())
            try service.mediator.addListener(SocketListener())
        }
    }
}
