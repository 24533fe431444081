// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Synchronization

/// The notifications of a mediator as an asynchronous sequence. Made by `LifecycleMediator.notifications`.
public nonisolated struct LifecycleNotifications: AsyncSequence, Sendable {
    /// A notification.
    public typealias Element = LifecycleNotification
    /// It does not fail.
    public typealias Failure = Never

    fileprivate let stream: AsyncStream<LifecycleNotification>
    fileprivate let reading: Reading

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(base: stream.makeAsyncIterator(), reading: reading) }

    /// Reads the notifications in order.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<LifecycleNotification>.Iterator
        fileprivate let reading: Reading

        /// The next notification; nil when the task that reads is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> LifecycleNotification? {
            var notification = await base.next(isolation: actor)
            notification?.dropped = reading.takeDrops()
            return notification
        }
    }
}

extension LifecycleMediator {
    /// The notifications of this name, or all when it is nil, from now on, until the task that reads them is cancelled
    /// or the sequence is released.
    ///
    /// Up to `limit` notifications wait for the reader; then the oldest are dropped, and `dropped` of the next one has
    /// their number. An observer (`addObserver(forName:using:)`) misses none.
    public func notifications(
        named name: LifecycleNotification.Name? = nil, bufferingNewest limit: Int = 1024
    ) -> LifecycleNotifications {
        let (stream, continuation) = AsyncStream.makeStream(
            of: LifecycleNotification.self, bufferingPolicy: .bufferingNewest(limit))
        let reading = Reading()
        reading.observation = addObserver(forName: name) { [weak reading] notification in
            switch continuation.yield(notification) {
            case .dropped: reading?.addDrop()
            case .terminated: reading?.observation = nil
            default: break
            }
        }
        return LifecycleNotifications(stream: stream, reading: reading)
    }
}

/// What a sequence and its iterators share. They may be on another thread.
private nonisolated final class Reading: Sendable {
    /// Ends when the reader is cancelled or this is released.
    @MainActor var observation: LifecycleObservation?
    /// How many notifications were dropped since the reader got the last one.
    private let drops = Atomic(0)

    func addDrop() { drops.add(1, ordering: .relaxed) }

    func takeDrops() -> Int { drops.exchange(0, ordering: .relaxed) }
}
