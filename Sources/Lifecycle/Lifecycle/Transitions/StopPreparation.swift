// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What a stop waits for before it goes on.
package final class StopPreparation {
    /// When it is due.
    package enum Moment {
        /// Before the first notification. It takes nothing of the time of the stop.
        case beginning
        /// Before `willTerminate`.
        case termination
    }

    let moment: Moment
    let limit: Duration?
    let begin: (_ done: @escaping () -> Void) -> Void
    let names: () -> [String]
    private var timer: (any LifecycleTimer)?

    /// - Parameters:
    ///   - moment: when it is due.
    ///   - limit: how long the stop waits for it; nil for no limit.
    ///   - names: what it waits for, see `LifecycleMediator.pending`.
    ///   - begin: begins it, unless a second stop was asked for before. It calls `done` at its end, which may be at
    ///     once; an end that comes too late has no effect.
    package init(
        _ moment: Moment, limit: Duration? = nil, waitingFor names: @escaping () -> [String] = { [] },
        _ begin: @escaping (_ done: @escaping () -> Void) -> Void
    ) {
        self.moment = moment
        self.limit = limit
        self.names = names
        self.begin = begin
    }

    func begin(on clock: any LifecycleClock, _ done: @escaping () -> Void) {
        timer = limit.map { clock.schedule(after: $0, done) }
        begin(done)
    }

    func end() { timer?.cancel() }
}
