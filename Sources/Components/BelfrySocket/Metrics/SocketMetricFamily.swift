// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryListeners
internal import BelfryMetricRegistry
internal import Lifecycle
internal import Varlink

/// Metrics of the service itself, of one kind.
struct SocketMetricFamily {
    /// systemd's names.
    enum Kind: String {
        case counter, gauge, string
    }

    let name: String
    let kind: Kind
    let description: String
    /// The current metrics.
    let metrics: (SocketListener) -> [SocketMetric]

    init(
        _ name: String, _ kind: Kind, _ description: String, _ metrics: @escaping (SocketListener) -> [SocketMetric]
    ) {
        self.name = name
        self.kind = kind
        self.description = description
        self.metrics = metrics
    }

    static let all: [SocketMetricFamily] = [
        SocketMetricFamily("AttachedListeners", .gauge, "Programs on the socket that are listeners") {
            [SocketMetric($0.attached.count)]
        },
        SocketMetricFamily("Connections", .gauge, "Connections on the socket") { [SocketMetric($0.connectionCount)] },
        SocketMetricFamily("Holds", .gauge, "Programs that delay pause, sleep and stop") {
            [SocketMetric($0.holds.count)]
        },
        SocketMetricFamily("ListenerCallsTotal", .counter, "Per listener: calls") {
            $0.perListener { UInt64($0.calls) }
        },
        SocketMetricFamily("ListenerFailuresTotal", .counter, "Per listener: calls that it refused, failed or overran")
        {
            $0.perListener { UInt64($0.failures) }
        },
        SocketMetricFamily("ListenerHealthy", .gauge, "Per listener: 1 if it is healthy, else 0") { listener in
            listener.mediator.listeners.map { SocketMetric($0.health == .healthy ? 1 : 0, of: $0.name) }
        },
        SocketMetricFamily("ListenerLastDurationUsec", .gauge, "Per listener: duration of the last call") {
            $0.perListener { $0.lastDuration?.microseconds }
        },
        SocketMetricFamily("ListenerLongestDurationUsec", .gauge, "Per listener: duration of the longest call") {
            $0.perListener { $0.longestDuration?.microseconds }
        },
        SocketMetricFamily(
            "MetricsRefusedTotal", .counter, "Metrics of the program that were beyond the limit or had a name in use"
        ) { [SocketMetric($0.registry.refused)] },
        SocketMetricFamily("NotificationsBySignalTotal", .counter, "Per signal: notifications that it caused") {
            $0.counts.bySignal.sorted { $0.key < $1.key }.map { SocketMetric($1, fields: ["signal": .string($0)]) }
        },
        SocketMetricFamily(
            "NotificationsTotal", .counter, "Per name: notifications since the start; * for all beyond 256"
        ) {
            let named = $0.counts.byName.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                SocketMetric($1, fields: ["notification": .string($0.rawValue)])
            }
            let others = $0.counts.ofOthers
            return named + (others > 0 ? [SocketMetric(others, fields: ["notification": "*"])] : [])
        },
        SocketMetricFamily("OverrunsTotal", .counter, "Subscribers that were dropped because they did not read") {
            [SocketMetric($0.subscribers.overruns)]
        },
        SocketMetricFamily("RefusedCallsTotal", .counter, "Calls on the socket that were refused") {
            [SocketMetric($0.clients.refusals)]
        },
        SocketMetricFamily("Sequence", .gauge, "Number of the last notification of this boot") {
            [SocketMetric($0.mediator.lastSequence)]
        },
        SocketMetricFamily("State", .string, "State of the service") { [SocketMetric($0.mediator.state.rawValue)] },
        SocketMetricFamily("Subscribers", .gauge, "Programs that are subscribed to notifications") {
            [SocketMetric($0.subscribers.count)]
        },
        SocketMetricFamily("UptimeUsec", .gauge, "How long the service has been running, by CLOCK_MONOTONIC") {
            [SocketMetric(MonotonicInstant.now.microseconds - $0.identity.startUsec)]
        },
    ]
}

extension SocketListener {
    fileprivate func perListener(_ figure: (ListenerRecord) -> UInt64?) -> [SocketMetric] {
        mediator.listeners.compactMap { status in figure(status.record).map { SocketMetric($0, of: status.name) } }
    }
}

extension SocketMetricFamily {
    /// The same for OpenMetrics, where names begin with `belfry_` and times are in seconds. The state is a gauge for each state
    /// that is 1 for the present one: node_exporter does not read OpenMetrics' type `stateset`.
    func openMetrics(_ service: SocketListener) -> MetricFamily {
        var words = "belfry"
        for scalar in name.unicodeScalars {
            if ("A"..."Z").contains(scalar) { words += "_" }
            words += scalar.properties.lowercaseMapping
        }
        let unit = words.hasSuffix("_usec") ? "seconds" : nil
        if unit != nil { words = words.dropLast("usec".count) + "seconds" }
        if kind == .counter { words.removeLast("_total".count) }
        var points: [MetricPoint] = []
        for metric in metrics(service) {
            if case .string(let state) = metric.value {
                points += LifecycleState.allCases.map {
                    MetricPoint(MetricLabels([("state", $0.rawValue)]), value: $0.rawValue == state ? 1 : 0)
                }
            } else {
                let value = metric.value.doubleValue ?? 0
                points.append(MetricPoint(metric.labels, value: unit == nil ? value : value / 1_000_000))
            }
        }
        return MetricFamily(
            words, kind == .counter ? .counter : .gauge, unit: unit, help: description, points: points)
    }
}

/// A metric of the service itself.
nonisolated struct SocketMetric {
    let value: JSONValue
    /// The listener that it is about, if its family is about listeners.
    var object: String?
    /// What distinguishes it from others of its family.
    var fields: JSONObject = [:]

    /// A count, clamped to an `Int64`.
    init(_ count: some BinaryInteger, of object: String? = nil, fields: JSONObject = [:]) {
        value = .int(Int64(clamping: count))
        self.object = object
        self.fields = fields
    }

    /// A text.
    init(_ text: String) { value = .string(text) }

    fileprivate var labels: MetricLabels {
        MetricLabels(
            (object.map { [("listener", $0)] } ?? [])
                + fields.compactMap { name, value in
                    value.stringValue.map { (name, $0) }
                })
    }
}
