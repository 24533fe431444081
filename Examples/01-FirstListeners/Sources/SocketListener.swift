// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServer
import Glibc

/// Tells each client that sends a line which frame is shown. Clients are accepted while the service is active. Those that were
/// accepted get their answer also when it pauses or stops.
final class SocketListener: LifecycleListener {
    let name = "clients"
    private let server: ConnectionServer

    init(
        _ service: BelfryService, _ address: @escaping (LifecycleNotification) -> ServerAddress, _ video: VideoListener
    ) {
        server = ConnectionServer(service, named: "clients", at: address) { connection in
            try connection.watch { _ in
                var line = [UInt8](repeating: 0, count: 80)
                if recv(connection.descriptor, &line, line.count, 0) > 0 {
                    let answer = "frame \(video.frame)\n"
                    send(connection.descriptor, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
                }
                connection.end()
            }
            return {}
        }
    }

    var answers: [LifecycleAnswer] { server.answers }
    var health: ListenerHealth { server.health }
    var activity: String? { server.activity }
}
