// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON

/// The names that subscribers asked for, in blocks of the handoff memory. Subscribers to the same names share blocks.
package nonisolated struct FilterStore {
    /// Where names are stored.
    struct Place: Equatable {
        var block: UInt32
        var length: UInt32
    }

    private struct Use {
        let place: Place
        var count: Int
    }

    private let memory: UnsafeMutableRawBufferPointer
    private var isUsed: [Bool]
    private var uses: [Set<UTF8Text>: Use] = [:]

    package init(_ memory: UnsafeMutableRawBufferPointer) {
        self.memory = memory
        isUsed = []
    }

    private var capacity: Int { memory.count / HandoffLayout.blockSize }

    /// Stores names unless they are stored already; nil when there is no room.
    mutating func add(_ names: Set<UTF8Text>) -> Place? {
        if let use = uses[names] {
            uses[names]?.count += 1
            return use.place
        }
        let bytes = Self.encoded(names)
        guard let first = room(for: Self.blocks(bytes.count)) else { return nil }
        let start = first * HandoffLayout.blockSize
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: memory[start...]).copyMemory(from: $0) }
        let place = Place(block: UInt32(first + 1), length: UInt32(bytes.count))
        use(names, place)
        return place
    }

    /// Reads names that an earlier process stored, and marks their blocks as used.
    mutating func load(_ place: Place) throws(HandoffMemoryError) -> Set<UTF8Text> {
        let first = Int(place.block) - 1
        let last = first + Self.blocks(Int(place.length))
        guard first >= 0, last <= capacity else { throw .corrupt("filter") }
        let start = first * HandoffLayout.blockSize
        guard let names = Self.decoded(memory[start..<start + Int(place.length)]) else { throw .corrupt("filter") }
        if uses[names] == nil { use(names, place) } else { uses[names]?.count += 1 }
        return names
    }

    /// Removes names that one subscriber asked for.
    mutating func remove(_ names: Set<UTF8Text>) {
        guard let use = uses[names] else { return }
        uses[names]?.count -= 1
        guard use.count == 1 else { return }
        uses[names] = nil
        mark(use.place, false)
    }

    private mutating func use(_ names: Set<UTF8Text>, _ place: Place) {
        uses[names] = Use(place: place, count: 1)
        mark(place, true)
    }

    private mutating func mark(_ place: Place, _ used: Bool) {
        let first = Int(place.block) - 1
        let end = first + Self.blocks(Int(place.length))
        if isUsed.count < end { isUsed += Array(repeating: false, count: end - isUsed.count) }
        for block in first..<end { isUsed[block] = used }
    }

    /// The first of `blocks` free blocks in a row.
    private func room(for blocks: Int) -> Int? {
        var first = 0
        for (block, used) in isUsed.enumerated() {
            if used { first = block + 1 } else if block - first + 1 == blocks { return first }
        }
        return first + blocks <= capacity ? first : nil
    }

    private static func blocks(_ length: Int) -> Int {
        max(1, (length + HandoffLayout.blockSize - 1) / HandoffLayout.blockSize)
    }

    /// Each name is preceded by its length in one byte: a name has at most 255 bytes.
    private static func encoded(_ names: Set<UTF8Text>) -> [UInt8] {
        names.flatMap { [UInt8(truncatingIfNeeded: $0.string.utf8.count)] + Array($0.string.utf8) }
    }

    private static func decoded(_ bytes: Slice<UnsafeMutableRawBufferPointer>) -> Set<UTF8Text>? {
        var names: Set<UTF8Text> = []
        var rest = bytes[...]
        while let length = rest.popFirst() {
            guard rest.count >= Int(length), let name = String(validating: rest.prefix(Int(length)), as: UTF8.self)
            else { return nil }
            names.insert(UTF8Text(name))
            rest = rest.dropFirst(Int(length))
        }
        return names
    }
}
