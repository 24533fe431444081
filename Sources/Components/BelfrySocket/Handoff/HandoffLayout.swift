// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfrySystemd
internal import CBelfry

/// The layout of the handoff memory: one page of header, the ring of notifications, the table of subscribers, and the names
/// that they asked for.
package nonisolated struct HandoffLayout: Sendable, Equatable {
    /// The first page.
    package struct Header {
        var magic: UInt64
        var version: UInt64
        var boot: IdentifierWords
        var ringSize: UInt64
        var entries: UInt64
        /// Of two memories, the one with the higher number is the newer one.
        var generation: UInt64
        var ring: NotificationRing.Ends
        var write: belfry_inflight_write

        init(_ layout: HandoffLayout, boot: IdentifierWords) {
            magic = HandoffLayout.magic
            version = HandoffLayout.version
            self.boot = boot
            ringSize = UInt64(layout.ringSize)
            entries = UInt64(layout.entries)
            generation = 0
            ring = NotificationRing.Ends()
            write = belfry_inflight_write()
        }
    }

    /// Of the format. A change of anything in this folder that is stored takes another number.
    package static let version: UInt64 = 3
    /// «BELFRYKS» in little-endian order.
    static let magic: UInt64 = 0x534B_5952_464C_4542
    /// The most bytes that the names of one subscriber take. Memory that is not used takes no room.
    package static let longestNames = 4096
    private static let page = 4096

    /// Bytes of the ring.
    package let ringSize: Int
    /// Subscribers in the table.
    package let entries: Int

    /// A layout with at least this room.
    package init(ringSize: Int, entries: Int) {
        self.ringSize = Self.wholePages(ringSize)
        self.entries = entries
    }

    /// The layout by the header of a memory of `size` bytes.
    ///
    /// - Throws: why the header is not valid.
    package init(_ header: Header, size: Int) throws(HandoffMemoryError) {
        guard header.magic == Self.magic else { throw .foreign }
        guard header.version == Self.version else { throw .version(header.version) }
        let most: UInt64 = 1 << 40
        guard header.ringSize > 0, header.ringSize < most, header.entries < most, header.generation < most,
            header.ringSize.isMultiple(of: UInt64(Self.page))
        else { throw .corrupt("header") }
        self.init(ringSize: Int(header.ringSize), entries: Int(header.entries))
        guard self.size == size else { throw .corrupt("size") }
    }

    /// The size of the memory, in bytes.
    package var size: Int { nameStart + entries * Self.longestNames }
    var ringStart: Int { Self.page }
    var entryStart: Int { ringStart + ringSize }
    var nameStart: Int { entryStart + Self.wholePages(entries * MemoryLayout<Slot>.stride) }

    /// A part of the header of memory that begins at `base`.
    func part<Part>(_ path: KeyPath<Header, Part>, of base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Part> {
        let offset = MemoryLayout<Header>.offset(of: path) ?? 0
        return (base + offset).assumingMemoryBound(to: Part.self)
    }

    private static func wholePages(_ size: Int) -> Int { (size + page - 1) / page * page }
}
