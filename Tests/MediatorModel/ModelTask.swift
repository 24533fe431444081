// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A background task, as the model knows it.
final class ModelTask {
    let index: Int
    var expiration: [Scenario.Step]?
    var isEnded = false
    var timer: (any LifecycleTimer)?

    init(_ index: Int, expiration: [Scenario.Step]) {
        self.index = index
        self.expiration = expiration
    }
}
