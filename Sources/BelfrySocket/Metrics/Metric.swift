// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import Varlink

/// One figure.
nonisolated struct Metric {
    let value: JSONValue
    /// What it is about, where its family is about several things.
    var object: String?
    /// What tells it from others of its family.
    var fields: JSONObject = [:]

    /// A count; one that does not fit is the largest.
    init(_ count: some BinaryInteger, of object: String? = nil, fields: JSONObject = [:]) {
        value = .int(Int64(clamping: count))
        self.object = object
        self.fields = fields
    }

    /// A text.
    init(_ text: String) { value = .string(text) }
}
