// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryServiceLifecycle
import BelfrySocket
import Hummingbird

let router = Router()
router.get("/") { _, _ in "hello\n" }

ServiceMain.run(ServiceOptions(name: "hello"), with: [.socket]) { service in
    let ready = ServiceReadiness()
    let app = Application(router: router, onServerRunning: { _ in ready.signal() })
    try service.addServiceGroup(
        .init(services: [.init(service: app, serviceName: "app")], logger: app.logger), readiness: ready)
}
