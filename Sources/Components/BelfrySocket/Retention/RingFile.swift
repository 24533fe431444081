// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryLinux
internal import BelfrySystemd
internal import CBelfry
internal import Glibc

/// The memory of a ring of notifications: a file in memory (memfd_create(2)) of sealed size that can be handed to the
/// next process, mapped into this one. The first page is the header; the ring follows.
package final class RingFile {
    private struct Header {
        var magic: UInt64
        var version: UInt64
        var boot: IdentifierWords
        var ends: NotificationRing.Ends
    }

    /// Of the format. A change of the header or of the ring takes another number.
    package nonisolated static let version: UInt64 = 4
    /// «BELFRYKS» in little-endian order.
    private static let magic: UInt64 = 0x534B_5952_464C_4542
    private static let page = 4096

    /// Open for as long as this object lives.
    package let descriptor: Int32
    /// The size of the ring, in bytes.
    package let ringSize: Int
    private let base: UnsafeMutableRawPointer

    /// Makes memory for an empty ring.
    ///
    /// - Parameters:
    ///   - ringSize: in bytes, rounded up to whole pages.
    ///   - bootID: 32 hexadecimal digits.
    package init(ringSize: Int, bootID: String) throws(SystemError) {
        self.ringSize = Self.wholePages(ringSize)
        descriptor = try SystemError.check(
            belfry_memory_file("belfry-notifications", UInt64(Self.page + self.ringSize)),
            verb: "make", object: "memory file")
        base = try Self.map(descriptor, Self.page + self.ringSize)
        let header = Header(
            magic: Self.magic, version: Self.version, boot: IdentifierWords(bootID), ends: NotificationRing.Ends())
        base.storeBytes(of: header, as: Header.self)
    }

    /// Opens the memory of an earlier process. Its ring is to be checked. The descriptor is closed when it cannot be
    /// used.
    ///
    /// - Throws: `RingFileError` or `SystemError`.
    package init(opening descriptor: Int32, bootID: String) throws {
        self.descriptor = descriptor
        let length = belfry_memory_file_size(descriptor)
        guard length >= 0 else {
            close(descriptor)
            throw SystemError(Int32(clamping: length), verb: "open", object: "memory file")
        }
        guard length > Self.page, Int(length).isMultiple(of: Self.page) else {
            close(descriptor)
            throw RingFileError.foreign
        }
        ringSize = Int(length) - Self.page
        base = try Self.map(descriptor, Int(length))
        let header = base.load(as: Header.self)
        guard header.magic == Self.magic else { throw RingFileError.foreign }
        guard header.version == Self.version else { throw RingFileError.version(header.version) }
        guard header.boot == IdentifierWords(bootID) else { throw RingFileError.boot }
    }

    isolated deinit {
        munmap(base, Self.page + ringSize)
        close(descriptor)
    }

    /// The ring, which is valid as long as this object lives.
    package func ring(capacity: Int) -> NotificationRing {
        let ends = base + (MemoryLayout<Header>.offset(of: \.ends) ?? 0)
        return NotificationRing(
            UnsafeMutableRawBufferPointer(start: base + Self.page, count: ringSize),
            ends: ends.assumingMemoryBound(to: NotificationRing.Ends.self), capacity: capacity)
    }

    /// A size rounded up to whole pages.
    static func wholePages(_ size: Int) -> Int { (size + page - 1) / page * page }

    private static func map(_ descriptor: Int32, _ size: Int) throws(SystemError) -> UnsafeMutableRawPointer {
        let address = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != MAP_FAILED else {
            let error = SystemError.last(verb: "map", object: "memory file")
            close(descriptor)
            throw error
        }
        return address
    }
}

/// The reason why the memory of the last process cannot be used.
package nonisolated enum RingFileError: Error, Equatable, CustomStringConvertible {
    /// It has nothing to do with a ring.
    case foreign
    /// It has the format of another version.
    case version(UInt64)
    /// It is from another boot.
    case boot
    /// Its content is not consistent.
    case corrupt

    package var description: String {
        switch self {
        case .foreign: "their memory belongs to something else"
        case .version(let version): "their memory has format \(version), not \(RingFile.version)"
        case .boot: "they are from another boot"
        case .corrupt: "their memory is corrupt"
        }
    }
}
