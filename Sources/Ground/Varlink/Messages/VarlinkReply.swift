// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A reply on the wire (UAPI.20, «Reply»).
package nonisolated struct VarlinkReply: Sendable, Equatable {
    /// The result, or what the error is about; absent, `null` and `{}` are the same.
    package var parameters: JSONObject
    /// Whether further replies to the same call follow.
    package var continues: Bool
    /// The fully-qualified name of the error when the call failed.
    package var error: String?

    /// A successful reply.
    package init(_ parameters: JSONObject = [:], continues: Bool = false) {
        self.parameters = parameters
        self.continues = continues
    }

    /// A reply that ends a call with an error.
    package init(error: String, _ parameters: JSONObject = [:]) {
        self.parameters = parameters
        self.error = error
        continues = false
    }

    /// Reads a reply from a message without its NUL.
    ///
    /// - Throws: the error in the message. The connection must be closed.
    package init(message: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
        let header = try VarlinkMessageHeader(message)
        if let field = header.callField { throw .unknownField(field) }
        if header.error != nil, header.continues { throw .unexpectedContinues }
        parameters = header.parameters
        continues = header.continues
        error = header.error
    }

    /// The reply as a message with its NUL.
    package var message: JSONWriter {
        var writer = JSONWriter()
        var separator: StaticString = "{"
        if let error {
            writer.write(raw: "{\"error\":")
            writer.write(error)
            separator = ","
        }
        if !parameters.isEmpty {
            writer.write(raw: separator)
            writer.write(raw: "\"parameters\":")
            writer.write(parameters)
            separator = ","
        }
        if continues {
            writer.write(raw: separator)
            writer.write(raw: "\"continues\":true")
        }
        writer.write(raw: error == nil && parameters.isEmpty && !continues ? "{}" : "}")
        writer.write(byte: 0)
        return writer
    }
}

/// A reply that was encoded once and can be sent to any number of clients, which share its bytes.
package nonisolated struct VarlinkEncodedReply {
    let message: EncodedMessage
    /// Whether further replies follow.
    package let continues: Bool

    /// Encodes a reply.
    package init(_ reply: VarlinkReply) {
        message = EncodedMessage(reply.message)
        continues = reply.continues
    }

    /// One of several replies to a call, from a writer.
    package init(_ writer: borrowing JSONWriter) {
        message = EncodedMessage(writer)
        continues = true
    }

    /// Some of several replies to a call, as they are on the wire. Their memory is counted once, however many clients
    /// share it.
    package init(sharing bytes: UnsafeRawBufferPointer) {
        message = EncodedMessage(bytes, isShared: true)
        continues = true
    }
}

/// Writes a message that is one of several replies to a call, around parameters that the caller writes.
nonisolated extension JSONWriter {
    /// Begins the message. The caller writes the members of the parameters next.
    package mutating func beginContinuingReply() { write(raw: "{\"parameters\":{") }

    /// Ends it.
    package mutating func endContinuingReply() { write(raw: "},\"continues\":true}\0") }
}
