// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// What is known of a client, kept with its connection: its peer is who it was when it connected.
final class SocketClient {
    let origin: LifecycleOrigin

    init(_ origin: LifecycleOrigin) { self.origin = origin }
}
