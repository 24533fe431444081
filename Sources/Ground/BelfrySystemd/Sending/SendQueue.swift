// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
package import BelfryEventLoop
internal import Glibc

/// A queue of what a peer does not accept yet: a timer tries again while there is any, and what exceeds a limit is
/// dropped.
///
/// It uses a timer, since a datagram socket that is not connected does not report whether the peer has room, and
/// epoll(7) does not support files. The interval is a millisecond while the peer accepts something, and doubles up to a
/// second while it does not.
package final class SendQueue<Item> {
    /// What became of an attempt to send one.
    package nonisolated enum Attempt: Sendable {
        /// It is gone.
        case sent
        /// The peer has no room now; the item holds what is still to be sent.
        case again
        /// It can never be sent.
        case lost
    }

    private static var shortest: Duration { .milliseconds(1) }
    private static var longest: Duration { .seconds(1) }
    /// The queue size from which the allocator returns memory to the system afterwards.
    private static var returned: Int { 64 << 10 }

    /// How much may wait.
    private let limit: (items: Int, bytes: Int)
    private let size: (Item) -> Int
    private let attempt: (inout Item) -> Attempt
    private var items: [Item] = []
    private var bytes = 0
    /// The most bytes since the queue was last empty.
    private var peak = 0
    private var delay = SendQueue.shortest
    private var timer: TimerEventSource?
    /// The number dropped since the last `onDrop`.
    private var dropped = 0
    /// Whether `onDrop` is being called: the loss of what it adds is not told.
    private var isTelling = false

    /// The loop of the timer. Without a loop nothing is tried again before `finish`.
    package var loop: MainEventLoop? { didSet { schedule() } }
    /// Called with how many were dropped, once at least half of the room is free again. Items that it adds come after
    /// those that wait.
    package var onDrop: ((Int) -> Void)?

    /// Makes an empty queue.
    ///
    /// - Parameters:
    ///   - items: how many may wait.
    ///   - bytes: how many bytes of them.
    ///   - size: how many bytes one has.
    ///   - attempt: sends one without waiting.
    package init(
        items: Int, bytes: Int, size: @escaping (Item) -> Int, attempt: @escaping (inout Item) -> Attempt
    ) {
        limit = (items, bytes)
        self.size = size
        self.attempt = attempt
    }

    /// Whether the queue is empty, so that a new item may be sent at once.
    package var isEmpty: Bool { items.isEmpty }

    /// Adds an item to the end.
    ///
    /// - Parameter reserve: how many items must have room behind it: what may be dropped leaves room for what may not.
    /// - Returns: whether there was room.
    @discardableResult
    package func add(_ item: Item, reserve: Int = 0) -> Bool {
        let size = size(item)
        guard items.count < limit.items - reserve, bytes + size <= limit.bytes else {
            lose()
            return false
        }
        items.append(item)
        bytes += size
        peak = max(peak, bytes)
        schedule()
        return true
    }

    /// Counts an item that can never be sent.
    package func lose() {
        guard !isTelling else { return }
        dropped += 1
        schedule()
    }

    /// Removes outdated items.
    package func remove(where isOutdated: (Item) -> Bool) {
        guard !items.isEmpty else { return }
        items.removeAll(where: isOutdated)
        bytes = items.reduce(0) { $0 + size($1) }
    }

    /// Sends what waits before the process ends. It blocks until the peer has accepted nothing for `timeout`, and ten
    /// times as long in all.
    package func finish(timeout: Duration = .milliseconds(100)) {
        let start = MonotonicInstant.now
        var last = start
        while !items.isEmpty || dropped > 0 {
            if advance() {
                last = .now
                guard last - start < timeout * 10 else { return }
            } else if MonotonicInstant.now - last < timeout {
                poll(nil, 0, 1)
            } else {
                return
            }
        }
    }

    /// Sends what the peer accepts. Returns whether it accepted anything.
    private func advance() -> Bool {
        let before = bytes
        var sent = 0
        while sent < items.count {
            bytes -= size(items[sent])
            let result = attempt(&items[sent])
            if result == .again {
                bytes += size(items[sent])
                break
            }
            if result == .lost { lose() }
            sent += 1
        }
        let isProgress = sent > 0 || bytes < before
        items.removeFirst(sent)
        if items.isEmpty { items = [] }
        if dropped > 0, items.count <= limit.items / 2, bytes <= limit.bytes / 2 {
            let count = dropped
            dropped = 0
            isTelling = true
            onDrop?(count)
            isTelling = false
        }
        return isProgress
    }

    private func schedule() {
        guard !items.isEmpty || dropped > 0, timer == nil, let loop else { return }
        delay = Self.shortest
        timer = try? loop.timer(after: delay) { [unowned self] in tryAgain() }
    }

    private func tryAgain() {
        delay = advance() ? Self.shortest : min(delay * 2, Self.longest)
        guard items.isEmpty, dropped == 0 else {
            try? timer?.fire(after: delay)
            return
        }
        timer = nil
        if peak > Self.returned { _ = belfry_malloc_trim() }
        peak = 0
    }
}
