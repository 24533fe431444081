// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// Keeps a connection while the service is in the foreground.
final class SocketListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { _ in print("  socket: connect") }
        on(.didEnterBackground) { _ in print("  socket: disconnect") }
        on(.willEnterForeground) { _ in print("  socket: connect again") }
    }
}
