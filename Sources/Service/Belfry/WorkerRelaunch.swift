// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How work that has failed begins again (`BelfryService.addWorker`), as systemd starts a unit again
/// (`Restart=on-failure`, systemd.service(5)).
///
///     try service.addWorker("feed", relaunch: WorkerRelaunch(burst: 3)) { try await follow(feed) }
///
/// An error before the launch is complete refuses the launch.
public nonisolated struct WorkerRelaunch: Sendable, Equatable {
    /// The time from a failure to the next start (`RestartSec=`), doubled for each failure before it in the interval.
    public var delay: Duration
    /// The longest such time (`RestartMaxDelaySec=`).
    public var delayMax: Duration
    /// How often it begins again within the interval (`StartLimitBurst=`). The next failure is one of the service.
    public var burst: Int
    /// That interval (`StartLimitIntervalSec=`).
    public var interval: Duration

    /// By default, five times in five minutes, after 1, 2, 4, 8 and 16 seconds.
    public init(
        delay: Duration = .seconds(1), delayMax: Duration = .seconds(30), burst: Int = 5,
        interval: Duration = .seconds(300)
    ) {
        (self.delay, self.delayMax, self.burst, self.interval) = (delay, delayMax, burst, interval)
    }

    /// The time until the next start; nil if the limit is reached. `failures` has those that count.
    func delay(after failures: inout [Duration], at now: Duration) -> Duration? {
        failures = failures.filter { now - $0 < interval } + [now]
        guard failures.count <= burst else { return nil }
        return failures.dropFirst().reduce(min(delay, delayMax)) { delay, _ in min(delay * 2, delayMax) }
    }
}
