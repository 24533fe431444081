// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryListeners
internal import BelfryMetricRegistry
internal import Lifecycle

/// The metrics of the service itself.
extension SocketListener {
    /// All metrics as OpenMetrics text, with those of the program.
    var openMetrics: String {
        let families = ofSocket + ofNotifications + ofApplication + ofListeners + registry.families
        return OpenMetricsText.text(families, of: identity.service)
    }

    private var ofSocket: [MetricFamily] {
        [
            .gauge("attached_listeners", "Programs on the socket that are listeners", attached.count),
            .gauge("connections", "Connections on the socket", connectionCount),
            .gauge("holds", "Programs that delay pause, sleep and stop", holds.count),
            .seconds("oldest_hold", "Age of the oldest hold", holds.longest),
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
            .seconds(
                "uptime", "How long the service has been running, by CLOCK_MONOTONIC", .microseconds(Int64(uptime))),
            MetricFamily(
                .gauge, "last_failure_timestamp_seconds",
                "Per key of an application, or notification: when a listener failed last, by CLOCK_REALTIME",
                unit: "seconds", by: "key",
                counts.failures.sorted { $0.key < $1.key }.map { ($0.key, Double($0.value) / 1_000_000) }),
        ]
    }

    /// What `GetState` says of the run, of which the part about commands is for an application alone.
    private var ofApplication: [MetricFamily] {
        let run = describeRun()
        let word = run["lastWord"]?.objectValue ?? [:]
        let isPaused = mediator.state == .background && word["kind"] == "paused" && word["endedBy"] == nil
        let since = isPaused ? word["realtimeUsec"]?.intValue.map { Duration.microseconds($0) } : nil
        let failed = run["failedCommands"]?.objectValue ?? [:]
        let commands: [MetricFamily] = [
            .gauge("failed_commands", "Commands that failed and have not succeeded since", failed.count),
            .gauge("last_stop_failed", "1 if the last Stop= failed, else 0", failed["Stop"] == nil ? 0 : 1),
        ]
        return [.seconds("paused_since_timestamp", "Since when the service is paused, by CLOCK_REALTIME", since)]
            + (application == nil ? [] : commands)
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
        func seconds(_ duration: Duration?) -> Double? { duration.map(\.inSeconds) }
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

nonisolated extension Duration {
    fileprivate var inSeconds: Double { Double(microseconds) / 1_000_000 }
}

nonisolated extension MetricFamily {
    fileprivate static func seconds(_ name: String, _ help: String, _ value: Duration?) -> MetricFamily {
        MetricFamily(
            "belfry_\(name)_seconds", .gauge, unit: "seconds", help: help,
            points: value.map { [MetricPoint(value: $0.inSeconds)] } ?? [])
    }

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
