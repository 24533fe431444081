// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A reply that was encoded once and can be sent to any number of clients: they share its bytes.
public nonisolated struct VarlinkEncodedReply {
    private(set) var message: EncodedMessage
    /// Whether further replies follow.
    public let continues: Bool

    /// Encodes a reply.
    public init(_ reply: VarlinkReply) {
        message = EncodedMessage(reply)
        continues = reply.continues
    }

    /// Encodes one of several replies to a call.
    public init(continuing parameters: JSONObject) { self.init(VarlinkReply(parameters, continues: true)) }

    /// One of several replies to a call, as it was written.
    package init(_ writer: borrowing JSONWriter) {
        message = EncodedMessage(writer)
        continues = true
    }

    /// One of several replies, as `bytes` held it.
    package init(continuing bytes: UnsafeRawBufferPointer, number: UInt64) {
        message = EncodedMessage(bytes)
        message.number = number
        continues = true
    }

    /// The bytes on the wire, for as long as the reply is kept.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: message.base, count: message.count) }

    /// The size on the wire, in bytes.
    public var byteCount: Int { message.count }
}
