// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The name of an instance of a service, such as `video` in `belfryd@video.service`.
package nonisolated enum InstanceName {
    /// The name of the unit may have 255 bytes, with the name of the service and `.service`.
    private static let longest = 200

    /// ASCII letters, digits, `-`, `_`, `.` and `@`; but not `.` and `..`, which cannot be names of directories.
    ///
    /// systemd (systemd.unit(5)) also allows `:`, which separates directories in `$RUNTIME_DIRECTORY`, and `\`, with
    /// which systemd 257 does not start a unit (`RuntimeDirectory=`).
    ///
    /// - Throws: `ValueProblem` for any other name.
    package static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !text.utf8.isEmpty else { throw ValueProblem("missing name of the instance") }
        for (offset, scalar) in text.unicodeScalars.enumerated() where !isAllowed(scalar) {
            throw ValueProblem(
                "invalid instance \(DisplayText.quoted(text)), expected letters, digits, '-', '_', '.' and '@'",
                offset: offset)
        }
        guard text != ".", text != ".." else {
            throw ValueProblem("invalid instance \(DisplayText.quoted(text)), it is the name of a directory")
        }
        guard text.utf8.count <= longest else {
            throw ValueProblem("name of the instance is longer than \(longest) characters")
        }
        return text
    }

    /// `NAME@INSTANCE`; `NAME` without an instance, or with an empty name of one.
    package static func full(_ name: String, _ instance: String?) -> String {
        instance.map { $0.isEmpty ? name : "\(name)@\($0)" } ?? name
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "@": true
        default: false
        }
    }
}
