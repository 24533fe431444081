// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Lifecycle
internal import Varlink

/// A client that delays pause, sleep and stop for as long as its call is open.
final class SocketHold {
    /// How many were begun before it.
    let number: Int
    let reason: String
    let origin: PeerOrigin
    /// Whether it ends by itself.
    let isLimited: Bool
    let request: VarlinkRequest
    var task: BackgroundTask?

    init(_ request: VarlinkRequest, number: Int, reason: String, origin: PeerOrigin, isLimited: Bool) {
        self.request = request
        self.number = number
        self.reason = reason
        self.origin = origin
        self.isLimited = isLimited
    }
}

extension BackgroundTask.Expiry {
    /// Why a hold is over.
    var words: String {
        switch self {
        case .deadline: "as its time is up"
        case .share: "as what waits for it has no more time"
        case .secondStop: "as a second stop waits for nobody"
        }
    }
}
