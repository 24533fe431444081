// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Varlink

/// Replies made from the ring, each once for all who get it.
struct KeptReplies {
    private var replies: [UInt64: VarlinkEncodedReply] = [:]

    subscript(record: KeptRing.Record) -> VarlinkEncodedReply {
        mutating get {
            if let known = replies[record.sequence] { return known }
            let reply = VarlinkEncodedReply(continuing: record.message, number: record.sequence)
            replies[record.sequence] = reply
            return reply
        }
    }
}
