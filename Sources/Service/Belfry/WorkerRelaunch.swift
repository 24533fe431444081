// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// How work that has failed begins again (`BelfryService.addWorker`), as systemd starts a unit again
/// (`Restart=on-failure`, systemd.service(5)).
///
///     try service.addWorker("feed", relaunch: WorkerRelaunch(burst: 3)) { try await follow(feed) }
///
/// An error before the first suspension of the work, or before the launch goes on after `readiness`, refuses it.
/// Nothing begins again for ever: after the limit the service fails, and systemd may start it (`Restart=on-failure`).
public nonisolated struct WorkerRelaunch: Sendable {
    private let delay: Duration
    private let delayMax: Duration
    let burst: Int
    let interval: Duration

    /// By default, five times in five minutes, after 1, 2, 4, 8 and 16 seconds.
    ///
    /// - Parameters:
    ///   - delay: the time from a failure to the next start (`RestartSec=`), doubled for each failure before it in the
    ///     interval.
    ///   - delayMax: the longest such time (`RestartMaxDelaySec=`).
    ///   - burst: how often it begins again within the interval (`StartLimitBurst=`); then the service fails.
    ///   - interval: that interval (`StartLimitIntervalSec=`).
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
