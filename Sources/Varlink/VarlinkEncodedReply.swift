// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A reply that was encoded once and can be sent to any number of clients: they share its bytes.
public nonisolated struct VarlinkEncodedReply {
    let message: EncodedMessage
    /// Whether further replies follow.
    public let continues: Bool

    /// Encodes a reply.
    public init(_ reply: VarlinkReply) {
        message = EncodedMessage(reply)
        continues = reply.continues
    }

    /// Encodes one of several replies to a call.
    public init(continuing parameters: VarlinkObject) { self.init(VarlinkReply(parameters, continues: true)) }

    /// The size on the wire, in bytes.
    public var byteCount: Int { message.count }
}
