// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle

/// What is known of a client, kept with its connection: its peer is who it was when it connected.
final class SocketClient {
    let origin: LifecycleOrigin
    /// The number of the rules by which it was found that it may post; 0 for none.
    @exclusivity(unchecked)  // nothing calls out while it is used
    var mayPostBy = 0

    init(_ origin: LifecycleOrigin) { self.origin = origin }
}
