// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
import Varlink

/// Ends calls whose clients do not read, so that their replies do not fill the memory.
struct ReplyLimit {
    /// Bytes that may wait for a client.
    static let bytesMax = 1 << 20
    /// Bytes that may wait for it before more is fetched for it.
    static let bytesReady = 64 << 10

    let server: VarlinkServer

    /// Whether the call goes on after replies to it. If not, its client has got the error.
    func admits(_ request: VarlinkRequest) -> Bool {
        guard request.isActive else { return false }
        guard request.queuedBytes > Self.bytesMax else { return true }
        // A client that reads may only have had no chance in this turn of the loop.
        server.flush()
        guard request.isActive, request.queuedBytes > Self.bytesMax else { return request.isActive }
        request.fail("io.belfry.Fleet.Overrun")
        return false
    }
}
