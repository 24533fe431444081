// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// A client that delays pause, sleep and stop for as long as its call is open.
final class SocketHold {
    let reason: String
    let origin: PeerOrigin
    /// Whether it ends by itself.
    let isLimited: Bool
    let request: VarlinkRequest
    var task: BackgroundTask?

    init(_ request: VarlinkRequest, reason: String, origin: PeerOrigin, isLimited: Bool) {
        self.request = request
        self.reason = reason
        self.origin = origin
        self.isLimited = isLimited
    }
}
