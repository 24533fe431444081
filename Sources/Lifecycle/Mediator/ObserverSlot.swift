// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// One observer. A slot without a handler has ended and waits to be swept.
final class ObserverSlot {
    var handler: ((LifecycleNotification) -> Void)?

    init(_ handler: @escaping (LifecycleNotification) -> Void) { self.handler = handler }
}
