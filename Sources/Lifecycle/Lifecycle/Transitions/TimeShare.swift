// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The times that the listeners of a transition want, in the order of their calls, and how a limited time is divided
/// among them.
///
/// If the time is enough for all, each gets what it wants. Otherwise small wishes are met in full, and the others get
/// equal parts of the rest (max-min fairness): one that wants much takes no time from those that want little. What one
/// does not use is there for the next.
package nonisolated struct WantedTimes: Sendable {
    private let times: [Duration]
    /// For each of them, what it and those after it are to get.
    private var reserves: [Duration] = []

    /// Divides a time among these.
    package init(_ times: [Duration], within limit: Duration) {
        self.times = times.map(\.bounded)
        divide(limit)
    }

    /// Divides a time again, among those from `index` on.
    mutating func divide(_ limit: Duration, from index: Int = 0) {
        let largest = largestShare(within: limit, from: index)
        reserves = times.reversed().reduce(into: [.zero]) { $0.append($0[$0.count - 1] + min($1, largest)) }.reversed()
    }

    /// All of them together.
    package var sum: Duration { times.reduce(.zero, +) }

    /// The share of one that wants `wanted` and comes before those from `index` on, when `left` is left.
    package func share(of wanted: Duration, before index: Int, within left: Duration) -> TimeShare {
        let reserve = min(reserves[index], max(left, .zero))
        return TimeShare(
            wanted: wanted.bounded, time: min(wanted.bounded, max(left, .zero) - reserve), reserve: reserve)
    }

    /// What each gets that wants more than the others can have. In whole microseconds.
    package func largestShare(within limit: Duration, from index: Int = 0) -> Duration {
        var left = limit.wholeMicroseconds
        let times = times[index...].map(\.wholeMicroseconds).sorted()
        for (place, time) in times.enumerated() {
            let equal = left / UInt64(times.count - place)
            guard time <= equal else { return .microseconds(equal) }
            left -= time
        }
        return .longest
    }
}

/// One answer's share of a limited time, or that of all background tasks.
package nonisolated struct TimeShare: Sendable, Equatable {
    /// The time wanted.
    package let wanted: Duration
    /// The share.
    package let time: Duration
    /// The time reserved for those that come later.
    package let reserve: Duration
    /// How long the share may become by progress.
    private(set) var extended = Duration.longest

    fileprivate init(wanted: Duration, time: Duration, reserve: Duration) {
        (self.wanted, self.time, self.reserve) = (wanted, time, reserve)
    }

    /// A share without a limit: all of the time wanted.
    package init(_ wanted: Duration) { self.init(wanted: wanted.bounded, time: wanted.bounded, reserve: .zero) }

    /// The same share, of which progress leaves the reserve in this time for all.
    func extended(within left: Duration?) -> TimeShare {
        var share = self
        if let left { share.extended = max(time, left - reserve) }
        return share
    }

    /// The same share, at most this long.
    func limited(to limit: Duration) -> TimeShare {
        TimeShare(wanted: wanted, time: min(time, limit), reserve: reserve)
    }
}
