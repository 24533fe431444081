// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import CBelfry
import Glibc

/// Writes an endless pattern to the socket on standard output, in chunks of varying length, and records its progress in
/// the memory on standard input. It continues where the previous process was killed.
enum RecordedWriter {
    /// The content of the memory.
    struct Record {
        var write = belfry_inflight_write()
        /// `number` counts bytes here.
        var position = belfry_position()
    }

    private static let period: UInt64 = 251

    static func run(longest: Int) -> Int32 {
        let size = MemoryLayout<Record>.size
        guard let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, 0, 0), address != MAP_FAILED else {
            return 71
        }
        let record = address.bindMemory(to: Record.self, capacity: 1)
        if record.pointee.write.slot != 0 {
            record.pointee.position.number =
                record.pointee.write.before.number + UInt64(belfry_inflight_bytes(&record.pointee.write))
        }
        // Each chunk begins in the first period of the pattern.
        var pattern = (0..<longest + Int(period)).map { UInt8($0 % Int(period)) }
        var length = longest
        while true {
            let start = record.pointee.position.number
            let written = pattern.withUnsafeMutableBytes { bytes in
                var part = iovec(iov_base: bytes.baseAddress.map { $0 + Int(start % period) }, iov_len: length)
                return belfry_send_recorded(1, &part, 1, &record.pointee.write, 1, record.pointee.position)
            }
            record.pointee.position.number += UInt64(max(written, 0))
            length = length > 1 ? length * 2 / 3 : longest
        }
    }
}
