// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import BelfrySocket
import Hummingbird
import ServiceLifecycle

let router = Router()
router.get("/") { _, _ in "hello\n" }
router.get("large") { _, _ in ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20) }
router.get("slow") { _, _ in
    try await Task.sleep(for: .seconds(2))
    return "slow\n"
}

ServiceMain.run(ServiceOptions(name: "hello"), with: [.socket]) { service in
    let ready = ServiceReadiness()
    let server: any Service =
        if let socket = service.descriptors.receive(named: "hello").first?.release() {
            SocketServer(responder: router.buildResponder(), socket: socket, onListening: ready.signal)
        } else {
            Application(router: router, onServerRunning: { _ in ready.signal() })
        }
    try service.addServiceGroup(services: [server], readiness: ready)
}
