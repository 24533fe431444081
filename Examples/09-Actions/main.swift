// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

// A service with two actions, which operators perform with `belfryctl perform NAME`.

import Lifecycle
import LifecycleTesting

let mediator = LifecycleMediator(clock: ManualClock())
try mediator.addListener(ArchiveListener())
mediator.perform(.launch)

for action in ["rotate", "verify", "rotate", "verify", "reboot"] {
    mediator.post(.performAction, userInfo: ["action": .string(action)]) { report in
        let performed = report.handledBy.map { "performed by \($0)" } ?? "no such action"
        print("\(action): \(report.problems.first ?? performed)")
    }
}
