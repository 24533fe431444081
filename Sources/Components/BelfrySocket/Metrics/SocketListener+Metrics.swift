// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryListeners
internal import BelfryMetricRegistry
internal import Lifecycle

/// The metrics of the service itself.
extension SocketListener {
    /// All metrics as OpenMetrics text, with those of the program.
    var openMetrics: String { OpenMetricsText.text(ofSocket + ofNotifications + ofListeners + registry.families) }

    private var ofSocket: [MetricFamily] {
        [
            .gauge("attached_listeners", "Programs on the socket that are listeners", attached.count),
            .gauge("connections", "Connections on the socket", connectionCount),
            .gauge("holds", "Programs that delay pause, sleep and stop", holds.count),
            .gauge("subscribers", "Programs that are subscribed to notifications", subscribers.count),
            .counter("overruns", "Subscribers that were dropped because they did not read", subscribers.overruns),
            .counter("refused_calls", "Calls on the socket that were refused", clients.refusals),
            .counter(
                "metrics_refused", "Metrics of the program that were beyond the limit or had a name in use",
                registry.refused),
        ]
    }

    private var ofNotifications: [MetricFamily] {
        let uptime = MonotonicInstant.now.microseconds - identity.startUsec
        var byName = counts.byName.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key.rawValue, $0.value) }
        if counts.ofOthers > 0 { byName.append(("*", counts.ofOthers)) }
        return [
            MetricFamily(
                .counter, "notifications", "Per name: notifications since the start; * for all beyond 256",
                by: "notification", byName.map { ($0, Double($1)) }),
            MetricFamily(
                .counter, "notifications_by_signal", "Per signal: notifications that it caused", by: "signal",
                counts.bySignal.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value)) }),
            .gauge("sequence", "Number of the last notification of this boot", mediator.lastSequence),
            // node_exporter does not read OpenMetrics' type `stateset`.
            MetricFamily(
                .gauge, "state", "1 for the state of the service, else 0", by: "state",
                LifecycleState.allCases.map { ($0.rawValue, $0 == mediator.state ? 1 : 0) }),
            transitions.family,
            MetricFamily(
                "belfry_uptime_seconds", .gauge, unit: "seconds",
                help: "How long the service has been running, by CLOCK_MONOTONIC",
                points: [MetricPoint(value: Double(uptime) / 1_000_000)]),
        ]
    }

    private var ofListeners: [MetricFamily] {
        let listeners = mediator.listeners
        func family(
            _ kind: MetricFamily.Kind, _ name: String, _ help: String, unit: String? = nil,
            _ figure: (ListenerStatus) -> Double?
        ) -> MetricFamily {
            MetricFamily(
                kind, "listener_" + name, "Per listener: " + help, unit: unit, by: "listener",
                listeners.compactMap { listener in figure(listener).map { (listener.name, $0) } })
        }
        func seconds(_ duration: Duration?) -> Double? { duration.map { Double($0.microseconds) / 1_000_000 } }
        return [
            family(.counter, "calls", "calls") { Double($0.record.calls) },
            family(.counter, "failures", "calls that it refused, failed or overran") { Double($0.record.failures) },
            family(.gauge, "healthy", "1 if it is healthy, else 0") { $0.health == .healthy ? 1 : 0 },
            family(.gauge, "last_duration_seconds", "duration of the last call", unit: "seconds") {
                seconds($0.record.lastDuration)
            },
            family(.gauge, "longest_duration_seconds", "duration of the longest call", unit: "seconds") {
                seconds($0.record.longestDuration)
            },
        ]
    }
}

nonisolated extension MetricFamily {
    /// One with a value for each value of a label.
    fileprivate init(
        _ kind: Kind, _ name: String, _ help: String, unit: String? = nil, by label: String,
        _ values: [(String, Double)]
    ) {
        self.init(
            "belfry_" + name, kind, unit: unit, help: help,
            points: values.map { MetricPoint(MetricLabels([(label, $0)]), value: $1) })
    }

    fileprivate static func gauge(_ name: String, _ help: String, _ value: some BinaryInteger) -> MetricFamily {
        MetricFamily("belfry_" + name, .gauge, help: help, points: [MetricPoint(value: Double(value))])
    }

    fileprivate static func counter(_ name: String, _ help: String, _ value: some BinaryInteger) -> MetricFamily {
        MetricFamily("belfry_" + name, .counter, help: help, points: [MetricPoint(value: Double(value))])
    }
}
