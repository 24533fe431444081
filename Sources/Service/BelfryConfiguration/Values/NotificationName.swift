// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Names of notifications: Belfry's own and those of the user.
package nonisolated enum NotificationName {
    private static let longest = 255

    /// Belfry's own names, for finding misspelt ones. Any other well-formed name is valid too.
    package static let known = [
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
        "willEnterForeground", "didResume", "willTerminate", "didReceiveMemoryWarning", "significantTimeChange",
        "willReload", "didReload", "didFailToReload", "willSleep", "didWake", "protectedDataWillBecomeUnavailable",
        "protectedDataDidBecomeAvailable", "didReceiveNotification", "performFetch", "openURL", "performAction",
        "willEncodeRestorableState", "didDecodeRestorableState", "flushRequested", "statusRequested", "powerFailing",
    ]

    /// The names that only a transition posts.
    package static let transitions: Set<String> = [
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
        "willEnterForeground", "didResume", "willTerminate", "willReload", "didReload", "didFailToReload",
    ]

    /// What a name consists of, for messages.
    package static let rule = "a letter, then letters, digits, '.' and '-'"

    /// A letter, then letters, digits, `.` and `-`, in ASCII.
    ///
    /// - Throws: `ValueProblem` at the first invalid character.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            let isOther = ("0"..."9").contains(scalar) || scalar == "." || scalar == "-"
            guard isLetter || (isOther && offset > 0) else {
                let message = "invalid notification name \(DisplayText.quoted(text)), expected \(rule)"
                throw ValueProblem(message, offset: offset)
            }
        }
        guard !text.utf8.isEmpty else { throw ValueProblem("missing notification name") }
        guard text.utf8.count <= longest else {
            throw ValueProblem("notification name is longer than \(longest) characters")
        }
        return text
    }

    /// The one of `names` that `text` almost equals; nil if it equals one of them or is near to none.
    package static func nearMiss(_ text: String, of names: [String]) -> String? {
        if names.contains(where: text.hasSameBytes) { return nil }
        return NearestName.find(text, in: names) { max(1, $0.utf8.count / 6) }
    }
}
