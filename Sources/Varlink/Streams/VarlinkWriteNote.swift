// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import CBelfry
internal import Glibc

/// Where, in memory that outlives the process, it is noted how far a client has been written to. What stands there is
/// exact at every moment, that of a SIGKILL within a write included.
package nonisolated struct VarlinkWriteNote {
    /// What tells this client from others; not 0.
    package let entry: UInt64
    /// How far this client has been written to, as long as `flight` does not know better.
    package let progress: UnsafeMutablePointer<belfry_progress>
    /// The last write to any client.
    package let flight: UnsafeMutablePointer<belfry_flight>

    package init(
        entry: UInt64, progress: UnsafeMutablePointer<belfry_progress>, flight: UnsafeMutablePointer<belfry_flight>
    ) {
        self.entry = entry
        self.progress = progress
        self.flight = flight
    }

    /// Writes as sendmsg(2) does. The new progress is to be stored afterwards.
    func send(_ descriptor: Int32, _ parts: UnsafeMutablePointer<iovec>?, _ count: Int) -> Int {
        belfry_send_noted(descriptor, parts, count, flight, entry, progress.pointee)
    }

    /// Stores the progress that the last write has brought.
    func arrive(at new: belfry_progress) {
        progress.pointee = new
        belfry_publish(&flight.pointee.entry, 0)
    }

    /// Stores a progress that no write has brought.
    func settle(_ new: belfry_progress) {
        // `flight` would contradict it.
        if flight.pointee.entry == entry { belfry_publish(&flight.pointee.entry, 0) }
        progress.pointee = new
    }
}
