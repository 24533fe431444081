// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Belfry

struct KeysRotated: LifecycleEvent {
    static let name = LifecycleNotification.Name("com.example.keysRotated")!
    var generation: Int64

    init(generation: Int64) { self.generation = generation }

    init?(userInfo: UserInfo) {
        guard case .int(let generation) = userInfo["generation"] else { return nil }
        self.generation = generation
    }

    var userInfo: UserInfo { ["generation": .int(generation)] }
}

func rotate(_ mediator: LifecycleMediator) {
    mediator.post(KeysRotated(generation: 7)) { report in
        for problem in report.problems { print(problem) }
    }
}
