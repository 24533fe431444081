// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON
internal import Lifecycle

/// Names of notifications: Belfry's own and those of the user.
package nonisolated enum NotificationName {
    /// Belfry's own names, for finding misspelt ones. Any other well-formed name is valid too.
    package static let known = LifecycleNotification.Name.catalogue.map(\.rawValue)

    /// Those that clients may post.
    package static let postable = names { $0 == .post }

    /// Those that clients may simulate.
    package static let simulable = names { $0 == .simulate }

    private static func names(_ fits: (LifecycleNotification.Name.ClientAccess) -> Bool) -> [String] {
        LifecycleNotification.Name.catalogue.filter { fits($0.clientAccess) }.map(\.rawValue)
    }

    /// What a name consists of, for messages.
    package static let rule = "a letter, then letters, digits, '.' and '-'"

    /// The text of a name.
    ///
    /// - Throws: `ValueProblem` at the first invalid character.
    package static func parse(_ text: String) throws(ValueProblem) -> String { try name(text).rawValue }

    /// The name of this text.
    ///
    /// - Throws: `ValueProblem` at the first invalid character.
    static func name(_ text: String) throws(ValueProblem) -> LifecycleNotification.Name {
        if let name = LifecycleNotification.Name(text) { return name }
        guard !text.utf8.isEmpty else { throw ValueProblem("missing notification name") }
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            let beginning = offset == 0 ? "\(scalar)" : "a\(scalar)"
            guard LifecycleNotification.Name(beginning) == nil else { continue }
            let message = "invalid notification name \(DisplayText.quoted(text)), expected \(rule)"
            throw ValueProblem(message, offset: offset)
        }
        throw ValueProblem("notification name is longer than 255 characters")
    }

    /// The warning about a name that is almost one of Belfry's; nil if there is nothing to say.
    static func doubt(_ name: LifecycleNotification.Name) -> String? {
        nearMiss(name.rawValue, of: known).map {
            "no notification of Belfry's is named '\(name)', did you mean '\($0)'?"
        }
    }

    /// The one of `names` that `text` almost equals; nil if it equals one of them or is near to none.
    package static func nearMiss(_ text: String, of names: [String]) -> String? {
        if names.contains(where: text.hasSameBytes) { return nil }
        return NearestName.find(text, in: names) { max(1, $0.utf8.count / 6) }
    }
}
