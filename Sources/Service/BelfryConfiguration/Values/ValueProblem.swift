// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfryLinux

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

/// Text of a user in a message, made safe for a terminal and the journal, and short.
package nonisolated enum DisplayText {
    /// `text`, cut when it is longer than 120 bytes, with control characters written as escapes.
    package static func cut(_ text: String) -> String { SystemError.escape(text.cut(toBytes: 120)) }

    /// A message of the service, made safe and cut when it is longer than 1000 bytes.
    package static func line(_ text: String) -> String { SystemError.escape(text.cut(toBytes: 1000)) }

    /// The text of `cut` in single quotes.
    package static func quoted(_ text: String) -> String { "'\(cut(text))'" }
}
