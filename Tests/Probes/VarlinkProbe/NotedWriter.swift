// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// Writes an endless pattern to the socket on standard output, in pieces of changing length, and notes in the memory on
/// standard input how far it has come. It begins where the one before it was killed.
enum NotedWriter {
    /// What the memory holds.
    struct Note {
        var flight = belfry_flight()
        /// `next` counts bytes here.
        var progress = belfry_progress()
    }

    private static let period: UInt64 = 251

    static func run(longest: Int) -> Int32 {
        let size = MemoryLayout<Note>.size
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0), address != MAP_FAILED else {
            return 71
        }
        let note = address.bindMemory(to: Note.self, capacity: 1)
        if note.pointee.flight.entry != 0 {
            note.pointee.progress.next =
                note.pointee.flight.before.next + UInt64(belfry_flight_bytes(&note.pointee.flight))
        }
        // Every piece of the pattern begins somewhere in its first period.
        var pattern = (0..<longest + Int(period)).map { UInt8($0 % Int(period)) }
        var length = longest
        while true {
            let start = note.pointee.progress.next
            let written = pattern.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress.map { $0 + Int(start % period) }, iov_len: length)
                return belfry_send_noted(1, &part, 1, &note.pointee.flight, 1, note.pointee.progress)
            }
            note.pointee.progress.next += UInt64(max(written, 0))
            length = length > 1 ? length * 2 / 3 : longest
        }
    }
}
