// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The messages that were queued in this turn, over all streams, in order. Subscribers of the same notifications get
/// the same stretch of it, which is put together once and written to each of them with one call.
final class TurnLog {
    private var messages: [EncodedMessage] = []
    private var joined: (range: Range<Int>, message: EncodedMessage)?

    /// The position of a message that begins a stretch.
    func place(_ message: EncodedMessage) -> Int {
        if let last = messages.last, last === message { return messages.count - 1 }
        messages.append(message)
        return messages.count - 1
    }

    /// Whether the message is at that position, which may be the end.
    func holds(_ message: EncodedMessage, at position: Int) -> Bool {
        if position < messages.count { return messages[position] === message }
        messages.append(message)
        return true
    }

    /// The messages of a stretch.
    subscript(range: Range<Int>) -> ArraySlice<EncodedMessage> { messages[range] }

    /// The messages of a stretch as one.
    func joined(_ range: Range<Int>) -> EncodedMessage {
        if range.count == 1 { return messages[range.lowerBound] }
        if let joined, joined.range == range { return joined.message }
        let message = EncodedMessage(joining: messages[range])
        joined = (range, message)
        return message
    }

    /// Forgets the turn; no stream may hold a stretch any more.
    func clear() {
        messages.removeAll(keepingCapacity: messages.capacity <= 1024)
        joined = nil
    }
}
