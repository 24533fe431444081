// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a value or a key is invalid.
package nonisolated struct ValueProblem: Error, Sendable, Equatable {
    /// The message: lower case, no final stop.
    package let message: String
    /// The position in the value, in Unicode scalars from its beginning.
    package let offset: Int

    /// A problem at `offset`.
    package init(_ message: String, offset: Int = 0) {
        self.message = message
        self.offset = offset
    }

    /// `text` is none of the given words.
    init(notOneOf words: [String], _ text: String) {
        let list = words.map { "'\($0)'" }.joined(separator: ", ")
        let question = NearestName.question(text, in: words)
        self.init("expected one of \(list), not \(DisplayText.quoted(text))\(question)")
    }
}
