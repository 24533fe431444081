// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

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
      # What tells it from others of its family
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
