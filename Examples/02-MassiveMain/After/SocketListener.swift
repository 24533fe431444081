// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Is connected while the service is in the foreground.
final class SocketListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { [self] _ in connect() }
        on(.willEnterForeground) { [self] _ in connect() }
        on(.didEnterBackground) { _ in print("socket: disconnected") }
    }

    private func connect() { print("socket: connected") }
}
