// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Figures of one kind.
struct MetricFamily {
    /// As systemd calls it.
    enum Kind: String {
        case counter, gauge, string
    }

    /// systemd expects the name of the link in `/run/systemd/report` before each name.
    private static let prefix = "io.belfry.Lifecycle."

    let name: String
    let kind: Kind
    let description: String
    /// The figures as they are now.
    let metrics: () -> [Metric]

    init(_ name: String, _ kind: Kind, _ description: String, _ metrics: @escaping () -> [Metric]) {
        self.name = Self.prefix + name
        self.kind = kind
        self.description = description
        self.metrics = metrics
    }
}
