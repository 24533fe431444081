// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

struct KeysRotated: LifecycleEvent, Codable {
    static let name = LifecycleNotification.Name("com.example.keysRotated")!
    var generation: Int64
}

func rotate(_ mediator: LifecycleMediator) {
    mediator.post(KeysRotated(generation: 7)) { report in
        for problem in report.problems { print(problem) }
    }
}

func rotateAndWait(_ mediator: LifecycleMediator) async -> [String] {
    let report = await mediator.post(KeysRotated(generation: 7))
    return report.problems
}

struct RequestServed: LifecycleEvent, Codable {
    var path: String
    var status: Int
    var logText: String? { "\(path) \(status)" }
}

struct CacheHit: LifecycleEvent, Codable {
    static let isLogged = false
    var key: String
}
