// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import BelfrySocket

ServiceMain.run(ServiceOptions(name: "echo"), with: [.socket]) { service in
    let ready = ServiceReadiness()
    let socket = service.descriptors.receive(named: "echo").first?.release()
    let server = EchoServer(host: "127.0.0.1", port: 7007, socket: socket, onListening: ready.signal)
    try service.addServiceGroup(services: [server], readiness: ready)
}
