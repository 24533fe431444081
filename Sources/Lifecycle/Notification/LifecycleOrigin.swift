// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Who or what caused a notification.
public nonisolated indirect enum LifecycleOrigin: Sendable, Equatable {
    /// The service itself.
    case service
    /// A signal.
    case signal(SignalOrigin)
    /// A program on the other side of a socket.
    case peer(PeerOrigin)

    /// The word that stands for the kind in the journal and on the socket.
    public var kind: String {
        switch self {
        case .service: "service"
        case .signal: "signal"
        case .peer: "socket"
        }
    }
}
