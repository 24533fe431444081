// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryMetricRegistry
internal import Lifecycle

/// Counts notifications by name. Clients choose names too, so names beyond a limit are counted together.
final class NotificationCounts {
    private static let limit = 256

    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var byName: [LifecycleNotification.Name: UInt64] = [:]
    private(set) var bySignal: [String: UInt64] = [:]
    /// Notifications of the names beyond the limit.
    private(set) var ofOthers: UInt64 = 0

    /// When listeners have last failed by CLOCK_REALTIME in microseconds, by the key or notification of it.
    private(set) var failures: [String: UInt64] = [:]

    func countFailure(at key: String, usec: UInt64) {
        if failures.count < Self.limit || failures[key] != nil { failures[key] = usec }
    }

    func count(_ notification: LifecycleNotification) {
        if let place = byName.index(forKey: notification.name) {
            byName.values[place] += 1
        } else if byName.count < Self.limit {
            byName[notification.name] = 1
        } else {
            ofOthers += 1
        }
        if case .signal(let signal) = notification.origin { bySignal[signal.name, default: 0] += 1 }
    }
}

/// The histogram of how long transitions take, from their first notification to their end.
final class TransitionDurations {
    private var series: [LifecycleTrigger: MetricSeries] = [:]

    /// Adds a transition that has ended. One without a notification does not count.
    func add(_ report: TransitionReport, endUsec: UInt64) {
        guard let start = report.notifications.first?.notification.time.monotonicUsec, endUsec >= start else { return }
        let labels = MetricLabels([("transition", report.trigger.rawValue)])
        let series = series[report.trigger] ?? MetricSeries("", labels)
        self.series[report.trigger] = series
        series.observe(Double(endUsec - start) / 1_000_000)
    }

    var family: MetricFamily {
        MetricFamily(
            "belfry_transition_duration_seconds", .histogram, unit: "seconds",
            help: "Per transition: time from its first notification to its end",
            points: series.sorted { $0.key.rawValue < $1.key.rawValue }.map { $1.point(.histogram) })
    }
}
