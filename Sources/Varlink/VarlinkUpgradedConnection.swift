// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A connection that no longer speaks Varlink: after the reply to a call with `upgrade` both sides exchange whatever
/// they have agreed on.
public nonisolated struct VarlinkUpgradedConnection: Sendable {
    /// The connected socket, non-blocking. It belongs to whoever is given this, and is his to close.
    public let descriptor: Int32
    /// What had been read already of what the other side sends after its call or its reply. It comes before what the
    /// descriptor brings.
    public let received: [UInt8]
}
