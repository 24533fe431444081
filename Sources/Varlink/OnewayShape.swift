// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Glibc

/// How a client writes the calls that it wants no answer to: what comes before the parameters, and what after them. When
/// its next call is written alike, the parameters are where they were, and the rest says what it said.
package nonisolated final class OnewayShape {
    private let head: [UInt8]
    private let tail: [UInt8]
    private let handler: VarlinkOnewayHandler.Body

    /// - Parameters:
    ///   - message: a call.
    ///   - parameters: the part of it that holds them.
    ///   - handler: what takes such calls.
    package init(
        of message: ArraySlice<UInt8>, parameters: ArraySlice<UInt8>, handler: VarlinkOnewayHandler
    ) {
        head = Array(message[..<parameters.startIndex])
        tail = Array(message[parameters.endIndex...])
        self.handler = handler.take
    }

    /// Takes a message that is written alike. Answers false when it is not, or when its parameters are not as expected.
    @MainActor func take(_ message: ArraySlice<UInt8>, on connection: ServerConnection) -> Bool {
        guard let parameters = parameters(in: message) else { return false }
        return handler(message, parameters, connection.attachment)
    }

    /// Where the parameters of a message are that is written alike; nil when it is not. They have not been looked at.
    package func parameters(in message: ArraySlice<UInt8>) -> Range<Int>? {
        guard message.count > head.count + tail.count, matches(message) else { return nil }
        return message.startIndex + head.count..<message.endIndex - tail.count
    }

    private func matches(_ message: ArraySlice<UInt8>) -> Bool {
        message.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            return memcmp(base, head, head.count) == 0
                && memcmp(base + bytes.count - tail.count, tail, tail.count) == 0
        }
    }
}
