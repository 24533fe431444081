// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A call as a server takes it out of a message: what it needs to know to hand it on is read, the rest can be.
package nonisolated struct ReceivedCall {
    package let method: String
    package let parameters: JSONText
    /// Whether the parameters are known to match the method.
    package let isMatched: Bool
    package let mode: VarlinkCall.Mode
    package let extensions: JSONObject

    /// A call that was received before, and found to match its method.
    init(_ call: VarlinkCall) {
        method = call.method
        parameters = JSONText(call.parameters)
        isMatched = true
        mode = call.mode
        extensions = call.extensions
    }

    /// Reads a call from a message without its NUL.
    ///
    /// - Parameter likely: the method that is probably called. If it is, its parameters are checked in passing.
    /// - Throws: what makes it no call. The connection that it came from is to be closed.
    package init(message: ArraySlice<UInt8>, likely: DeclaredMethod? = nil) throws(VarlinkProtocolError) {
        var header = VarlinkMessageHeader(likely: likely)
        try header.read(message)
        guard let method = header.method else { throw .missingMethod }
        if let field = header.replyField { throw .unknownField(field) }
        self.method = method
        parameters = header.parameters
        isMatched = header.isMatched
        extensions = header.extensions
        switch (header.oneway, header.more, header.upgrade) {
        case (false, false, false): mode = .single
        case (true, false, false): mode = .oneway
        case (false, true, false): mode = .more
        case (false, false, true): mode = .upgrade
        default: throw .conflictingFlags
        }
    }
}
