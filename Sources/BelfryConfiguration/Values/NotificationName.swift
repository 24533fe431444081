// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

import BelfryJSON

/// Names of notifications: Belfry's own and those that a configuration makes up.
package nonisolated enum NotificationName {
    private static let longest = 255

    /// Belfry's own names, to find misspelt ones; any other well-formed name is good as well.
    package static let known = [
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
        "willEnterForeground", "didResume", "willTerminate", "didReceiveMemoryWarning", "significantTimeChange",
        "willReload", "didReload", "didFailToReload", "willSleep", "didWake", "protectedDataWillBecomeUnavailable",
        "protectedDataDidBecomeAvailable", "didReceiveNotification", "performFetch", "openURL", "performAction",
        "willEncodeRestorableState", "didDecodeRestorableState", "flushRequested", "statusRequested", "powerFailing",
    ]

    /// Those of them that only a change of state may post.
    package static let transitions: Set<String> = [
        "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive", "didEnterBackground",
        "willEnterForeground", "didResume", "willTerminate", "willReload", "didReload", "didFailToReload",
    ]

    /// A letter, then letters, digits, `.` and `-`, in ASCII.
    ///
    /// - Throws: `ValueProblem` that points at the first character that is not allowed.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        for (offset, scalar) in text.unicodeScalars.enumerated() {
            let isLetter = ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            let isOther = ("0"..."9").contains(scalar) || scalar == "." || scalar == "-"
            guard isLetter || (isOther && offset > 0) else {
                let rule = "a letter, then letters, digits, '.' and '-'"
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

    /// The one of `names` that `text` almost spells, or nil when it is one of them or far from all.
    package static func nearMiss(_ text: String, of names: [String]) -> String? {
        if names.contains(where: text.hasSameBytes) { return nil }
        return NearestName.find(text, in: names) { max(1, $0.utf8.count / 6) }
    }
}
