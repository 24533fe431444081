// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What was published and is not acknowledged yet.
nonisolated struct PublishWindow {
    private static let messageLimit = 256
    private static let byteLimit = 4 << 20

    private var messages: [Int32: (id: Int, size: Int)] = [:]
    private var byteCount = 0

    /// Whether one more may be published.
    var hasRoom: Bool { messages.count < Self.messageLimit && byteCount < Self.byteLimit }

    var isEmpty: Bool { messages.isEmpty }

    /// Adds a message with the packet identifier that libmosquitto gave it, and our own, which never repeats.
    mutating func add(_ packet: Int32, _ id: Int, size: Int) {
        remove(packet)
        messages[packet] = (id, size)
        byteCount += size
    }

    /// Removes a message. Returns its id, or nil when there is none.
    @discardableResult
    mutating func remove(_ packet: Int32) -> Int? {
        guard let message = messages.removeValue(forKey: packet) else { return nil }
        byteCount -= message.size
        return message.id
    }
}
