// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
package import BelfryLinux

/// A file in memory that can be handed to the next process, mapped into this one. Its size never changes.
package final class KeptMemory {
    /// The file. Open for as long as this lives.
    package let descriptor: Int32
    /// The first byte of what it holds; what is stored there is in the file at once.
    package let base: UnsafeMutableRawPointer
    /// Bytes in all.
    package let size: Int

    /// Makes one, all zeros.
    package init(size: Int) throws(SystemError) {
        descriptor = try SystemError.check(
            belfry_memory_file("belfry-state", UInt64(size)), verb: "make", object: "memory file")
        self.size = size
        base = try Self.map(descriptor, size)
    }

    /// Takes one over, and closes it when that does not work.
    package init(taking descriptor: Int32) throws(SystemError) {
        self.descriptor = descriptor
        let length = belfry_memory_file_size(descriptor)
        guard length > 0 else {
            Glibc.close(descriptor)
            throw SystemError(length < 0 ? Int32(clamping: length) : EINVAL, verb: "take over", object: "memory file")
        }
        size = Int(length)
        base = try Self.map(descriptor, size)
    }

    isolated deinit {
        munmap(base, size)
        Glibc.close(descriptor)
    }

    private static func map(_ descriptor: Int32, _ size: Int) throws(SystemError) -> UnsafeMutableRawPointer {
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else {
            let error = SystemError.last(verb: "map", object: "memory file")
            Glibc.close(descriptor)
            throw error
        }
        // The kernel stores what it took of a write in this page. A process that is being killed cannot wait for it.
        mlock(address, 4096)
        return address
    }
}
