// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import Varlink

/// The figures of a service.
package nonisolated enum MetricTable {
    private static let prefix = "io.belfry.Lifecycle."

    /// A heading and a row for each, from the replies of `io.systemd.Metrics.List`.
    package static func lines(_ metrics: [JSONObject], _ style: TextStyle) -> [String] {
        var table = TextTable([("METRIC", .left), ("OF", .left), ("VALUE", .right)])
        for metric in metrics {
            let name = metric.textOrDash("name")
            let fields = metric["fields"]?.objectValue ?? [:]
            let of = [metric["object"]?.stringValue].compactMap(\.self) + fields.lazy.compactMap(\.value.stringValue)
            table.add([
                name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name,
                OutsideText.line(of, separator: ", "),
                metric.text("value") ?? metric["value"].map { OutsideText.line($0.description) } ?? "-",
            ])
        }
        return table.lines(style)
    }
}
