// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry
import BelfryHummingbird
import BelfryServer
import BelfrySocket
import Hummingbird
import HummingbirdCore
import Logging

let router = Router()
router.get("/") { _, _ in "hello\n" }
router.get("large") { _, _ in ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20) }
router.get("slow") { _, _ in
    try await Task.sleep(for: .seconds(2))
    return "slow\n"
}

ServiceMain.run(ServiceOptions(name: "hello"), with: [.socket]) { service in
    router.get("readyz") { _, _ in await service.isReady ? HTTPResponse.Status.ok : .serviceUnavailable }
    let isPassed = service.descriptors.names.contains("hello")
    let address: ServerAddress = isPassed ? .systemd("hello") : .port(8080)
    let logger = Logger(label: "hello")
    let answer = router.buildResponder().answer(logger: logger)
    let http = HTTP1Channel(responder: answer, configuration: .draining)
    try service.mediator.addListener(
        ConnectionServer(service, named: "http", at: address) { try $0.serve(http, logger: logger) })
}
