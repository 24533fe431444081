// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// Notifications that the subscribers of some names get next, put together for one system call. Subscribers of the same names
/// that are at the same place share them.
struct GatheredNotifications {
    /// About as many bytes as the kernel takes at once (`sendBuffer` in `VarlinkLimits`, doubled).
    static let size = 32 << 10

    private(set) var bytes: [UInt8] = []
    /// The place behind them.
    private(set) var end: NotificationRing.Cursor
    private var begins: [(offset: Int, cursor: NotificationRing.Cursor)] = []
    /// What they were put together for. Values, as another group may get the address of one that is gone.
    private var key: (names: Set<UTF8Text>?, begin: UInt64, last: UInt64)?

    /// Nothing.
    init(before end: NotificationRing.Cursor) { self.end = end }

    /// Gathers what a group gets from a place on.
    mutating func gather(from begin: NotificationRing.Cursor, for group: SubscriberGroup, in ring: NotificationRing) {
        if let key, key.begin == begin.sequence, key.last == ring.last, key.names == group.names { return }
        key = (group.names, begin.sequence, ring.last)
        bytes.removeAll(keepingCapacity: bytes.capacity <= 4 * Self.size)
        begins.removeAll(keepingCapacity: true)
        end = begin
        while bytes.count < Self.size, let record = ring.record(at: end) {
            if record.isWanted(by: group.names) {
                begins.append((bytes.count, end))
                bytes.append(contentsOf: record.message)
            }
            end = record.end
        }
    }

    /// What comes next when so many bytes were sent.
    func position(after sent: Int) -> Subscriber.Position {
        guard sent < bytes.count, let begun = begins.last(where: { $0.offset <= sent }) else {
            return Subscriber.Position(cursor: end)
        }
        return Subscriber.Position(cursor: begun.cursor, written: sent - begun.offset)
    }
}
