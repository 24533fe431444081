// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import Varlink

/// The notifications that subscribers of some names get next if they are at some place of the ring. Subscribers of the
/// same names at the same place share it.
final class NotificationPiece {
    /// About as many bytes as the kernel takes at once (`sendBuffer` in `VarlinkLimits`, doubled). One longer
    /// notification is a piece too.
    private static let size = 32 << 10
    /// How many notifications are looked at for one piece, as most may have other names.
    private static let mostRecords = 1024

    // What it was made for: values, as another group may get the address of one that is gone.
    private let names: Set<UTF8Text>?
    private let begin: UInt64
    private let last: UInt64

    /// Nil if none of the notifications is wanted.
    let replies: VarlinkEncodedReply?
    /// The place of the first that is wanted; that behind it if there is none.
    let first: NotificationRing.Cursor
    /// The place behind it.
    let end: NotificationRing.Cursor

    /// Puts together what subscribers of these names get from a place on.
    init(_ names: Set<UTF8Text>?, from begin: NotificationRing.Cursor, in ring: NotificationRing) {
        self.names = names
        self.begin = begin.sequence
        last = ring.last
        // One notification, which is the most frequent case, is not copied twice.
        var only: UnsafeRawBufferPointer?
        var bytes: [UInt8] = []
        var (first, end) = (begin, begin)
        for _ in 0..<Self.mostRecords {
            guard let record = ring.record(at: end) else { break }
            if record.isWanted(by: names) {
                if let one = only {
                    if bytes.isEmpty { bytes = Array(one) }
                    guard bytes.count + record.message.count <= Self.size else { break }
                    bytes.append(contentsOf: record.message)
                } else {
                    only = record.message
                    first = end
                }
            }
            end = record.end
        }
        self.first = only == nil ? end : first
        self.end = end
        replies = only.map { one in
            bytes.isEmpty
                ? VarlinkEncodedReply(sharing: one) : bytes.withUnsafeBytes { VarlinkEncodedReply(sharing: $0) }
        }
    }

    /// Whether subscribers of these names get it at this place.
    func isMade(for names: Set<UTF8Text>?, from begin: NotificationRing.Cursor, in ring: NotificationRing) -> Bool {
        self.begin == begin.sequence && last == ring.last && self.names == names
    }
}
