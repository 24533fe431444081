// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// The same without Belfry: swift-service-lifecycle takes the signals.

import Hummingbird

let router = Router()
router.get("/") { _, _ in "hello\n" }
router.get("readyz") { _, _ in "ready\n" }

try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 8081))).runService()
