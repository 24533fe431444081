// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryEventLoop
internal import Lifecycle
internal import BelfryListeners
internal import Varlink

/// The methods of `io.systemd.Metrics`.
extension SocketListener {
    var metricsMethods: [String: VarlinkInterface.Handler] {
        [
            "List": look { [unowned self] request in
                reply(
                    to: request,
                    families.flatMap { family in
                        family.metrics().map { metric in
                            var object: JSONObject = ["name": .string(family.name), "value": metric.value]
                            object["object"] = metric.object.map { .string($0) }
                            if !metric.fields.isEmpty { object["fields"] = .object(metric.fields) }
                            return object
                        }
                    })
            },
            "Describe": look { [unowned self] request in
                reply(
                    to: request,
                    families.map {
                        [
                            "name": .string($0.name), "description": .string($0.description),
                            "type": .string($0.kind.rawValue),
                        ]
                    })
            },
        ]
    }

    private func reply(to request: VarlinkRequest, _ objects: [JSONObject]) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        for (position, object) in objects.enumerated() {
            request.reply(object, continues: position + 1 < objects.count)
        }
    }

    /// By name, as systemd has them.
    private var families: [MetricFamily] {
        [
            MetricFamily("AttachedListeners", .gauge, "Programs on the socket that are listeners") { [attached] in
                [Metric(attached.count)]
            },
            MetricFamily("Connections", .gauge, "Connections on the socket") { [unowned self] in
                [Metric(connectionCount)]
            },
            MetricFamily("Holds", .gauge, "Programs that delay pause, sleep and stop") { [holds] in
                [Metric(holds.count)]
            },
            ofListeners("ListenerCallsTotal", .counter, "Per listener: calls") { UInt64($0.record.calls) },
            ofListeners("ListenerFailuresTotal", .counter, "Per listener: calls that it refused, failed or overran") {
                UInt64($0.record.failures)
            },
            ofListeners("ListenerLastDurationUsec", .gauge, "Per listener: duration of the last call") {
                $0.record.lastDuration?.microseconds
            },
            ofListeners("ListenerLongestDurationUsec", .gauge, "Per listener: duration of the longest call") {
                $0.record.longestDuration?.microseconds
            },
            MetricFamily("NotificationsBySignalTotal", .counter, "Per signal: notifications that it caused") {
                [unowned self] in
                counts.bySignal.sorted { $0.key < $1.key }.map { Metric($1, fields: ["signal": .string($0)]) }
            },
            MetricFamily(
                "NotificationsTotal", .counter, "Per name: notifications since the start; * for all beyond 256"
            ) {
                [unowned self] in
                let named = counts.byName.sorted { $0.key.rawValue < $1.key.rawValue }.map {
                    Metric($1, fields: ["notification": .string($0.rawValue)])
                }
                return named + (counts.ofOthers > 0 ? [Metric(counts.ofOthers, fields: ["notification": "*"])] : [])
            },
            MetricFamily("OverrunsTotal", .counter, "Subscribers that were dropped because they did not read") {
                [subscribers] in [Metric(subscribers.overruns)]
            },
            MetricFamily("RefusedCallsTotal", .counter, "Calls on the socket that were refused") { [clients] in
                [Metric(clients.refusals)]
            },
            MetricFamily("Sequence", .gauge, "Number of the last notification of this boot") { [mediator] in
                [Metric(mediator.lastSequence)]
            },
            MetricFamily("State", .string, "Where the service is") { [mediator] in
                [Metric(mediator.state.rawValue)]
            },
            MetricFamily("Subscribers", .gauge, "Programs that follow the service") { [subscribers] in
                [Metric(subscribers.count)]
            },
            MetricFamily("UptimeUsec", .gauge, "How long the service has been running, by CLOCK_MONOTONIC") {
                [identity] in
                [Metric(MonotonicInstant.now.microseconds - identity.startUsec)]
            },
        ]
    }

    private func ofListeners(
        _ name: String, _ kind: MetricFamily.Kind, _ description: String,
        _ figure: @escaping (ListenerStatus) -> UInt64?
    ) -> MetricFamily {
        MetricFamily(name, kind, description) { [mediator] in
            mediator.listeners.compactMap { status in figure(status).map { Metric($0, of: status.name) } }
        }
    }
}
