// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Names and numbers of users and groups.
nonisolated enum AccountName {
    /// The name or number of a user or a group, which need not exist.
    ///
    /// - Throws: `ValueProblem` at the first character that no name has.
    static func parse(_ text: String) throws(ValueProblem) -> String {
        let offset = Array(text.unicodeScalars).firstIndex { scalar in
            IniText.isSpace(scalar) || IniText.isControl(scalar) || scalar == ":" || scalar == "/"
        }
        guard let offset else { return text }
        throw ValueProblem("invalid user or group name \(DisplayText.quoted(text))", offset: offset)
    }
}
