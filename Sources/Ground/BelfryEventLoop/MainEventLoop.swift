// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import CBelfry
internal import Glibc
public import BelfryLinux

/// The main thread's run loop: sd-event(3), and on it the main actor.
///
/// `run()` waits for events, calls the handlers of their sources, and runs the jobs of the main actor in between. So
/// asynchronous code, child tasks and sources share one thread and need no locks. Call everything here on the main
/// thread.
@MainActor  // written out: an optimised client module misses the default, and then rejects the deinit (Swift 6.3)
public final class MainEventLoop {
    /// The `sd_event`, for libraries that attach themselves to it.
    package let event: OpaquePointer
    private var exitCode: Int32?
    private var lastStamp: Stamp = (0, 0)
    private var isStamped = false

    /// Makes a loop for the main thread. A process needs only one.
    ///
    /// - Throws: when the system has no descriptor or no memory left for it (sd_event_new(3)).
    public init() throws(SystemError) {
        // libdispatch makes a descriptor for its main queue on first use, and ends the process with a trap if it
        // cannot. So this is checked first, and the descriptor is made at once.
        let spare = eventfd(0, O_CLOEXEC)
        guard spare >= 0 else { throw .last(verb: "make", object: "event loop") }
        close(spare)
        _ = MainQueue.descriptor
        var made: OpaquePointer?
        try SystemError.check(sd_event_new(&made), verb: "make", object: "event loop")
        guard let made else { throw SystemError(ENOMEM, verb: "make", object: "event loop") }
        event = made
    }

    isolated deinit { sd_event_unref(event) }

    /// Runs until the process ends: that of a service by a stop, any other by exit(3) in a handler.
    ///
    /// While it runs, the main actor's jobs run here. Call it on the main thread from synchronous code, because an
    /// `async` main takes the main thread for itself.
    ///
    /// - Throws: when the loop cannot wait any more (sd_event_wait(3)), or the main queue cannot be watched. Handlers
    ///   throw nothing.
    public func run() throws(SystemError) -> Int32 { try run(isWatched: { false }) { _, _ in } }

    /// A turn that is longer blocks the loop.
    package static let longestTurn = Duration.milliseconds(100)

    /// The same. While `isWatched` is true, `whenBlocked` is called after each turn in which a handler kept the thread
    /// for longer than `longestTurn`, with the beginning of the turn by `CLOCK_MONOTONIC` and its duration, at most a
    /// tick of the kernel's clock too short.
    package func run(
        isWatched: () -> Bool, whenBlocked: (_ start: Duration, _ duration: Duration) -> Void
    ) throws(SystemError) -> Int32 {
        let mainQueue = try source(descriptor: MainQueue.descriptor, [.readable, .edgeTriggered]) { _ in
            MainQueue.drain()
        }
        defer { mainQueue.cancel() }
        let longestUsec = Self.longestTurn.microseconds
        MainQueue.drain()
        while true {
            if let exitCode { return exitCode }
            try turn(waiting: nil)
            guard isWatched() else { continue }
            var startUsec: UInt64 = 0
            sd_event_now(event, CLOCK_MONOTONIC, &startUsec)
            let endUsec = belfry_clock_usec(CLOCK_MONOTONIC_COARSE)
            if endUsec > startUsec &+ longestUsec {
                whenBlocked(.microseconds(startUsec), .microseconds(endUsec - startUsec))
            }
        }
    }

    /// Ends `run()` after the current turn. Not public: a service would end without notifying its listeners.
    package func exit(_ code: Int32) { exitCode = code }

    /// One turn: waits for at most `limit` (forever when nil) until a source is ready and dispatches it.
    ///
    /// It is for programs whose main thread runs another loop, and for tests. `run()` calls it for all other programs.
    ///
    /// - Returns: whether there was a source to dispatch.
    /// - Throws: when the loop cannot wait any more (sd_event_wait(3)). An interrupted wait is no error.
    @discardableResult
    package func turn(waiting limit: Duration?) throws(SystemError) -> Bool {
        isStamped = false
        var ready = sd_event_prepare(event)
        if ready == 0 { ready = sd_event_wait(event, limit?.microseconds ?? .max) }
        try SystemError.check(ready, verb: "wait in", object: "event loop")
        if ready > 0 { try SystemError.check(sd_event_dispatch(event), verb: "dispatch in", object: "event loop") }
        return ready > 0
    }

    /// A moment in microseconds by `CLOCK_REALTIME` and `CLOCK_MONOTONIC`.
    package typealias Stamp = (realtimeUsec: UInt64, monotonicUsec: UInt64)

    /// The time at which the current turn began (sd_event_now(3)), or the present time if the kernel's clock has ticked
    /// since, which it does every 1 to 10 ms. So a clock is read only once a tick.
    package var stamp: Stamp {
        let tickUsec = belfry_clock_usec(CLOCK_MONOTONIC_COARSE)
        return isStamped && tickUsec <= lastStamp.monotonicUsec ? lastStamp : takeStamp(after: tickUsec)
    }

    private func takeStamp(after tickUsec: UInt64) -> Stamp {
        var stamp: Stamp = (0, 0)
        sd_event_now(event, CLOCK_REALTIME, &stamp.realtimeUsec)
        sd_event_now(event, CLOCK_MONOTONIC, &stamp.monotonicUsec)
        if stamp.monotonicUsec < max(tickUsec, lastStamp.monotonicUsec) {
            stamp = (belfry_clock_usec(CLOCK_REALTIME), belfry_clock_usec(CLOCK_MONOTONIC))
        }
        lastStamp = stamp
        isStamped = true
        return stamp
    }
}

/// What the loop can watch. Each call returns the source. The handler is called on the main actor until the source is
/// cancelled or released.
extension MainEventLoop {
    /// Watches signals that are blocked in every thread. Two sources do not share a signal.
    ///
    /// - Throws: `EBUSY` for a signal that is not blocked in this thread.
    package func source(
        signals numbers: Set<Int32>, _ handler: @escaping (ReceivedSignal) -> Void
    ) throws(SystemError) -> SignalEventSource {
        try SignalEventSource(numbers, on: event, handler)
    }

    /// Watches a descriptor. The caller still owns it, and closes it after the source has ended.
    ///
    /// - Throws: `EBADF` for a descriptor that is not open, `EPERM` for a regular file (epoll_ctl(2)).
    public func source(
        descriptor: Int32, _ events: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void
    ) throws(SystemError) -> DescriptorEventSource {
        try DescriptorEventSource(descriptor, events, on: event, handler)
    }

    /// Watches a descriptor, and closes it when the source has ended.
    ///
    /// - Throws: `EBADF` for a descriptor that is not open, `EPERM` for a regular file (epoll_ctl(2)).
    public func source(
        owning descriptor: OwnedDescriptor, _ events: DescriptorEvents, _ handler: @escaping (DescriptorEvents) -> Void
    ) throws(SystemError) -> DescriptorEventSource {
        let source = try source(descriptor: descriptor.number, events, handler)
        source.own(descriptor)
        return source
    }

    /// Sets a timer. `accuracy` is how late it may fire so that wake-ups can be joined.
    ///
    /// - Throws: when the system has no descriptor or no memory left for it.
    public func timer(
        after delay: Duration, clock: TimerEventSource.Clock = .monotonic, accuracy: Duration = .milliseconds(1),
        _ handler: @escaping () -> Void
    ) throws(SystemError) -> TimerEventSource {
        try TimerEventSource(after: delay, clock: clock, accuracy: accuracy, on: event, handler)
    }

    /// Watches a file or directory.
    ///
    /// - Throws: `ENOENT` when it does not exist, `EACCES`, and `ENOSPC` when there are too many watches
    ///   (inotify_add_watch(2)).
    package func source(
        path: String, _ kinds: FileChange.Kinds, _ handler: @escaping (FileChange) -> Void
    ) throws(SystemError) -> InotifyEventSource {
        try InotifyEventSource(path, kinds, on: event, handler)
    }

    /// Waits for a child of this process to end, and reaps it.
    ///
    /// - Throws: when there is no such process, or it is waited for already (sd_event_add_child(3)).
    package func source(
        child pid: Int32, _ handler: @escaping (ChildExit) -> Void
    ) throws(SystemError) -> ChildEventSource {
        try ChildEventSource(pid, on: event, handler)
    }

    /// Prepares work that `schedule()` puts into the next turn.
    ///
    /// - Throws: when the system has no memory left for it.
    package func deferred(_ handler: @escaping () -> Void) throws(SystemError) -> DeferredEventSource {
        try DeferredEventSource(on: event, handler)
    }
}
