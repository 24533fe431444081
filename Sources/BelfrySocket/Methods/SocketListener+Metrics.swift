// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import BelfryListeners
internal import Lifecycle
internal import Varlink

/// The methods of `io.systemd.Metrics`.
extension SocketListener {
    static let metricsMethods: [String: Method] = [
        "List": (.look, { $0.listMetrics($1) }),
        "Describe": (.look, { $0.describeMetrics($1) }),
    ]

    private func listMetrics(_ request: VarlinkRequest) {
        reply(
            to: request,
            Self.families.flatMap { family in
                family.metrics(self).map { metric in
                    var object: JSONObject = [
                        "name": .string(MetricFamily.prefix + family.name), "value": metric.value,
                    ]
                    object["object"] = metric.object.map { .string($0) }
                    if !metric.fields.isEmpty { object["fields"] = .object(metric.fields) }
                    return object
                }
            })
    }

    private func describeMetrics(_ request: VarlinkRequest) {
        reply(
            to: request,
            Self.families.map {
                [
                    "name": .string(MetricFamily.prefix + $0.name), "description": .string($0.description),
                    "type": .string($0.kind.rawValue),
                ]
            })
    }

    private func reply(to request: VarlinkRequest, _ objects: [JSONObject]) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        for (position, object) in objects.enumerated() {
            request.reply(object, continues: position + 1 < objects.count)
        }
    }

    /// Ordered by name.
    private static let families: [MetricFamily] = [
        MetricFamily("AttachedListeners", .gauge, "Programs on the socket that are listeners") {
            [Metric($0.attached.count)]
        },
        MetricFamily("Connections", .gauge, "Connections on the socket") { [Metric($0.connectionCount)] },
        MetricFamily("Holds", .gauge, "Programs that delay pause, sleep and stop") { [Metric($0.holds.count)] },
        MetricFamily("ListenerCallsTotal", .counter, "Per listener: calls") { $0.perListener { UInt64($0.calls) } },
        MetricFamily("ListenerFailuresTotal", .counter, "Per listener: calls that it refused, failed or overran") {
            $0.perListener { UInt64($0.failures) }
        },
        MetricFamily("ListenerLastDurationUsec", .gauge, "Per listener: duration of the last call") {
            $0.perListener { $0.lastDuration?.microseconds }
        },
        MetricFamily("ListenerLongestDurationUsec", .gauge, "Per listener: duration of the longest call") {
            $0.perListener { $0.longestDuration?.microseconds }
        },
        MetricFamily("NotificationsBySignalTotal", .counter, "Per signal: notifications that it caused") {
            $0.counts.bySignal.sorted { $0.key < $1.key }.map { Metric($1, fields: ["signal": .string($0)]) }
        },
        MetricFamily(
            "NotificationsTotal", .counter, "Per name: notifications since the start; * for all beyond 256"
        ) {
            let named = $0.counts.byName.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                Metric($1, fields: ["notification": .string($0.rawValue)])
            }
            let others = $0.counts.ofOthers
            return named + (others > 0 ? [Metric(others, fields: ["notification": "*"])] : [])
        },
        MetricFamily("OverrunsTotal", .counter, "Subscribers that were dropped because they did not read") {
            [Metric($0.subscribers.overruns)]
        },
        MetricFamily("RefusedCallsTotal", .counter, "Calls on the socket that were refused") {
            [Metric($0.clients.refusals)]
        },
        MetricFamily("Sequence", .gauge, "Number of the last notification of this boot") {
            [Metric($0.mediator.lastSequence)]
        },
        MetricFamily("State", .string, "State of the service") { [Metric($0.mediator.state.rawValue)] },
        MetricFamily("Subscribers", .gauge, "Programs that are subscribed to notifications") {
            [Metric($0.subscribers.count)]
        },
        MetricFamily("UptimeUsec", .gauge, "How long the service has been running, by CLOCK_MONOTONIC") {
            [Metric(MonotonicInstant.now.microseconds - $0.identity.startUsec)]
        },
    ]

    private func perListener(_ figure: (ListenerRecord) -> UInt64?) -> [Metric] {
        mediator.listeners.compactMap { status in figure(status.record).map { Metric($0, of: status.name) } }
    }
}

/// Metrics of one kind.
struct MetricFamily {
    /// systemd's names.
    enum Kind: String {
        case counter, gauge, string
    }

    /// systemd expects the name of the link in `/run/systemd/report` as a prefix.
    static let prefix = "io.belfry.Lifecycle."

    let name: String
    let kind: Kind
    let description: String
    /// The current metrics.
    let metrics: (SocketListener) -> [Metric]

    init(_ name: String, _ kind: Kind, _ description: String, _ metrics: @escaping (SocketListener) -> [Metric]) {
        self.name = name
        self.kind = kind
        self.description = description
        self.metrics = metrics
    }
}

/// One metric.
nonisolated struct Metric {
    let value: JSONValue
    /// What it is about, if its family is about several things.
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
}

/// Counts notifications by name. Clients choose names too, so names beyond a limit are counted together.
final class NotificationCounts {
    private static let limit = 256

    @exclusivity(unchecked)  // nothing calls out while it is used
    private(set) var byName: [LifecycleNotification.Name: UInt64] = [:]
    private(set) var bySignal: [String: UInt64] = [:]
    /// Notifications of the names beyond the limit.
    private(set) var ofOthers: UInt64 = 0

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

/// The description of `io.systemd.Metrics`, which is systemd's: systemd-report(1) asks every socket that is linked in
/// `/run/systemd/report`.
nonisolated let metricsInterfaceText = """
    # Figures of a service.
    interface io.systemd.Metrics

    # What kind of value the metrics of a family have.
    type MetricFamilyType (
      # A number that only grows
      counter,
      # A number that goes up and down
      gauge,
      # A text
      string
    )

    # The metrics, one a reply. Needs 'more'.
    method List() -> (
      # The family, such as io.belfry.Lifecycle.NotificationsTotal
      name: string,
      # A number or a text, by the type of the family
      value: object,
      # What the metric is about, such as a listener
      object: ?string,
      # What distinguishes it from others of its family
      fields: ?[string]string
    )

    # The families, one a reply. Needs 'more'.
    method Describe() -> (
      name: string,
      description: string,
      type: MetricFamilyType
    )

    # There is no metric.
    error NoSuchMetric()

    """
