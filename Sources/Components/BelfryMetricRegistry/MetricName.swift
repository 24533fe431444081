// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryJSON
internal import BelfryLinux

/// Names that OpenMetrics and Varlink both allow: letters, digits, and single underscores between them, at most 128
/// bytes.
package nonisolated enum MetricName {
    private static let longest = 128

    /// The name of a family: each run of other bytes becomes `_`. `metric_` comes before a name that does not begin
    /// with a letter, and before one that begins with `belfry_`. The suffix `_total` of a counter is left out, as
    /// OpenMetrics adds it to samples, and a unit is added.
    package static func family(_ name: String, _ kind: MetricFamily.Kind, unit: String?) -> String {
        var name = valid(name, orAfter: "metric_")
        if name.hasPrefix("belfry_") || name == "belfry" { name = "metric_" + name }
        if kind == .counter, name.hasSuffix("_total") { name.removeLast("_total".utf8.count) }
        if let unit, !name.hasSuffix("_" + unit) { name += "_" + unit }
        return name
    }

    /// The name of a label. `label_` comes before a name that does not begin with a letter, and before those that
    /// OpenMetrics uses itself.
    static func label(_ name: String) -> String {
        let name = valid(name, orAfter: "label_")
        return ["le", "quantile"].contains(name) ? "label_" + name : name
    }

    private static func valid(_ text: String, orAfter prefix: String) -> String {
        var name: [UInt8] = []
        for byte in text.utf8.prefix(longest) {
            switch byte {
            case 48...57, 65...90, 97...122: name.append(byte)
            default: if let last = name.last, last != UInt8(ascii: "_") { name.append(UInt8(ascii: "_")) }
            }
        }
        if name.last == UInt8(ascii: "_") { name.removeLast() }
        let text = String(decoding: name, as: UTF8.self)
        guard let first = name.first else { return prefix + "unnamed" }
        return (48...57).contains(first) ? prefix + text : text
    }
}

/// What distinguishes metrics of the same name: at most 8 labels, ordered by name. Values have at most 128 bytes, and
/// control characters in them are escaped. Of labels with the same name the last one counts.
package nonisolated struct MetricLabels: Sendable, Equatable {
    private static let limit = 8
    private static let longestValue = 128

    /// A label.
    package struct Label: Sendable, Equatable {
        /// Its name, which is valid.
        package let name: String
        /// Its value.
        package let value: String

        /// `name="value"`, escaped as OpenMetrics escapes it.
        package var text: String {
            var text = name + "=\""
            for scalar in value.unicodeScalars {
                switch scalar {
                case "\\": text += "\\\\"
                case "\"": text += "\\\""
                case "\n": text += "\\n"
                default: text.unicodeScalars.append(scalar)
                }
            }
            return text + "\""
        }
    }

    /// All of them.
    package let all: [Label]
    /// The same for the same labels only.
    package let key: UTF8Text

    /// Labels with any names and values.
    package init(_ labels: [(String, String)]) {
        var byName: [String: String] = [:]
        for (name, value) in labels.prefix(Self.limit) {
            byName[MetricName.label(name)] = SystemError.escape(String(value.prefix(bytes: Self.longestValue)))
        }
        all = byName.sorted { $0.key < $1.key }.map { Label(name: $0.key, value: $0.value) }
        key = UTF8Text(all.map(\.text).joined(separator: ","))
    }
}
