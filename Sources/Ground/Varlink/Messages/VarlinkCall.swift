// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call on the wire (UAPI.20, «Call»).
package nonisolated struct VarlinkCall: Sendable, Equatable {
    /// What a call expects.
    package enum Mode: Sendable, Equatable {
        /// One reply.
        case single
        /// No reply, not even an error.
        case oneway
        /// Any number of replies.
        case more
        /// One reply, after which the connection belongs to another protocol. The server answers with an error.
        case upgrade
    }

    /// The fully-qualified name, `org.example.ftl.Jump`.
    package var method: String
    /// The parameters; absent, `null` and `{}` are the same.
    package var parameters: JSONObject
    /// What it expects.
    package var mode: Mode

    /// A call with these parts.
    package init(_ method: String, _ parameters: JSONObject = [:], mode: Mode = .single) {
        self.method = method
        self.parameters = parameters
        self.mode = mode
    }

    /// Reads a call from a message without its NUL. The parameters are parsed when they are used.
    ///
    /// - Throws: the error in the message. The connection must be closed.
    package init(message: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
        let header = try VarlinkMessageHeader(message)
        guard let method = header.method else { throw .missingMethod }
        if let field = header.replyField { throw .unknownField(field) }
        self.method = method
        parameters = header.parameters
        switch (header.oneway, header.more, header.upgrade) {
        case (false, false, false): mode = .single
        case (true, false, false): mode = .oneway
        case (false, true, false): mode = .more
        case (false, false, true): mode = .upgrade
        default: throw .conflictingFlags
        }
    }

    /// Keeps the parameters as text, while the call waits for its reply. Returns how many bytes that takes.
    mutating func keep() -> Int {
        parameters = parameters.asText
        return method.utf8.count + parameters.textSize
    }

    /// The call as a message with its NUL.
    package var message: JSONWriter {
        var writer = JSONWriter()
        writer.write(raw: "{\"method\":")
        writer.write(method)
        if !parameters.isEmpty {
            writer.write(raw: ",\"parameters\":")
            writer.write(parameters)
        }
        switch mode {
        case .single: break
        case .oneway: writer.write(raw: ",\"oneway\":true")
        case .more: writer.write(raw: ",\"more\":true")
        case .upgrade: writer.write(raw: ",\"upgrade\":true")
        }
        writer.write(raw: "}")
        writer.write(byte: 0)
        return writer
    }
}
