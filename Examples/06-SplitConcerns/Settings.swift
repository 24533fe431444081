// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// What can be configured.
nonisolated struct Settings: Sendable {
    /// Frames a second.
    var rate: Int

    /// The settings as the mediator hands them to listeners.
    var configuration: LifecycleConfiguration {
        var configuration = LifecycleConfiguration()
        configuration[Settings.self] = self
        return configuration
    }
}
