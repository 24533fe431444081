// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import Lifecycle

/// The concern of those who watch: it takes them in while the service is up, and opens the URLs they send.
final class ClientListener: LifecycleListener {
    var answers: [LifecycleAnswer] {
        on(.didFinishLaunching) { _ in print("clients: welcome") }
        onOpenURL { url in url.hasPrefix("camera:") }
        on(.didEnterBackground) { _ in print("clients: goodbye") }
    }
}
