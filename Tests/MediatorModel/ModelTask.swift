// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// A background task, as the model knows it.
final class ModelTask {
    let index: Int
    var expiration: [Scenario.Step]?
    var isEnded = false
    var timer: (any LifecycleTimer)?
    let end: UInt64

    init(_ index: Int, end: UInt64, expiration: [Scenario.Step]) {
        self.index = index
        self.end = end
        self.expiration = expiration
    }
}
