// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The last notifications, so that a subscriber who was away can catch up. Holds at most `capacity` of them.
package nonisolated struct ReplayRing<Element> {
    private let capacity: Int
    private var elements: [(sequence: UInt64, element: Element)] = []
    private var head = 0
    /// The number of the last notification, kept or not.
    private var last: UInt64

    /// - Parameters:
    ///   - capacity: how many are kept; none when it is 0.
    ///   - last: the number of the notification before the first that is added.
    package init(capacity: Int, after last: UInt64) {
        self.capacity = capacity
        self.last = last
    }

    package mutating func append(_ element: Element, sequence: UInt64) {
        last = sequence
        guard capacity > 0 else { return }
        if elements.count < capacity {
            elements.append((sequence, element))
        } else {
            elements[head] = (sequence, element)
            head = (head + 1) % capacity
        }
    }

    /// The number of the oldest that is kept, or what the next one will be when none is.
    package var oldest: UInt64 { elements.isEmpty ? last + 1 : elements[head].sequence }

    /// What came after `sequence`, oldest first; nil when not all of it is kept.
    package func elements(after sequence: UInt64) -> [Element]? {
        guard sequence < last else { return [] }
        guard sequence + 1 >= oldest else { return nil }
        let inOrder = elements[head...] + elements[..<head]
        return inOrder.drop { $0.sequence <= sequence }.map(\.element)
    }
}
