// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryMetricRegistry
internal import Varlink

/// The methods of `io.systemd.Metrics`, and the same metrics as OpenMetrics text.
extension SocketListener {
    static let metricsMethods: [String: Method] = [
        "List": (.look, { $0.listMetrics($1) }),
        "Describe": (.look, { $0.describeMetrics($1) }),
    ]

    /// All metrics as OpenMetrics text.
    var openMetrics: String {
        OpenMetricsText.text(
            SocketMetricFamily.all.map { $0.openMetrics(self) } + [transitions.family] + registry.families)
    }

    private func listMetrics(_ request: VarlinkRequest) {
        let own = SocketMetricFamily.all.flatMap { family in
            family.metrics(self).map { metric in
                var object: JSONObject = ["name": .string(SystemdMetricName.own(family.name)), "value": metric.value]
                object["object"] = metric.object.map { .string($0) }
                if !metric.fields.isEmpty { object["fields"] = .object(metric.fields) }
                return object
            }
        }
        reply(
            to: request,
            own + Self.objects(transitions.family, SystemdMetricName.ofTransitions)
                + registry.families.flatMap { family in
                    Self.objects(family) { SystemdMetricName.ofProgram(family.name, $0) }
                })
    }

    /// JSON has neither infinities nor NaN: a gauge that is one of these is left out.
    private static func objects(_ family: MetricFamily, _ name: (String?) -> String) -> [JSONObject] {
        family.samples.filter(\.value.isFinite).map { sample in
            let whole = Int64(exactly: sample.value)
            var object: JSONObject = [
                "name": .string(name(sample.suffix)), "value": whole.map { .int($0) } ?? .double(sample.value),
            ]
            if !sample.labels.isEmpty {
                object["fields"] = .object(JSONObject(sample.labels.map { ($0.name, .string($0.value)) }))
            }
            return object
        }
    }

    private func describeMetrics(_ request: VarlinkRequest) {
        func object(_ name: String, _ type: String, _ description: String) -> JSONObject {
            ["name": .string(name), "description": .string(description), "type": .string(type)]
        }
        let own = SocketMetricFamily.all.map {
            object(SystemdMetricName.own($0.name), $0.kind.rawValue, $0.description)
        }
        let histogram = transitions.family
        reply(
            to: request,
            own + histogram.kind.suffixes.map { object(SystemdMetricName.ofTransitions($0), "counter", histogram.help) }
                + registry.families.flatMap { family in
                    family.kind.suffixes.map {
                        object(
                            SystemdMetricName.ofProgram(family.name, $0), family.kind == .gauge ? "gauge" : "counter",
                            "A \(family.kind.rawValue) of the program")
                    }
                })
    }

    /// Replies in the order of names.
    private func reply(to request: VarlinkRequest, _ objects: [JSONObject]) {
        guard request.wantsMore else { return request.fail(.expectedMore) }
        let named = objects.map { (name: UTF8Text($0["name"]?.stringValue ?? ""), object: $0) }
        let ordered = named.enumerated().sorted { ($0.element.name, $0.offset) < ($1.element.name, $1.offset) }
        for (position, entry) in ordered.enumerated() {
            request.reply(entry.element.object, continues: position + 1 < ordered.count)
        }
    }
}

/// The names of metrics in `io.systemd.Metrics`: that of a Varlink interface, a dot and that of a Varlink field. systemd
/// expects them to begin with the name of the link in `/run/systemd/report`.
private enum SystemdMetricName {
    private static let prefix = "io.belfry.Lifecycle."

    /// One of the service's own.
    static func own(_ name: String) -> String { prefix + name }

    /// A part of the histogram of transitions.
    static func ofTransitions(_ suffix: String?) -> String {
        prefix + "TransitionDurationSeconds" + (suffix?.capitalized ?? "")
    }

    /// One of the program, or a part of it.
    static func ofProgram(_ name: String, _ suffix: String?) -> String {
        prefix + "Metrics." + name + (suffix.map { "_" + $0 } ?? "")
    }
}

extension String {
    /// The text with its first letter in upper case.
    fileprivate nonisolated var capitalized: String { prefix(1).uppercased() + dropFirst() }
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
