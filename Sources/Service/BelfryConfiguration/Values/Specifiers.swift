// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The specifiers of systemd.unit(5) that paths of caches may have: `%C`, `%S` and `%t` for the directories of caches,
/// states and run-time files, `%N` and `%i` for the name of the service and its instance, `%%` for a percent sign.
///
/// The directories are those of the system for root, and for a service without `$XDG_RUNTIME_DIR`, which the user's
/// service manager sets. Otherwise they are those of the user.
package nonisolated struct Specifiers {
    private static let directories: Set<Unicode.Scalar> = ["C", "S", "t"]
    private static let names: Set<Unicode.Scalar> = ["N", "i", "%"]

    private let environment: [String: String]
    private let isSystem: Bool
    private let service: String
    private let instance: String?

    /// - Parameters:
    ///   - environment: that of the service.
    ///   - uid: its effective user.
    ///   - service: its name, with that of the instance.
    ///   - instance: the name of the instance, if it is one.
    package init(environment: [String: String], uid: UInt32, service: String, instance: String?) {
        self.environment = environment
        isSystem = uid == 0 || environment["XDG_RUNTIME_DIR"] == nil
        self.service = service
        self.instance = instance
    }

    /// The path with the values of its specifiers, without repeated slashes.
    ///
    /// - Throws: `ValueProblem` if a specifier has no value, or the result is no absolute path.
    func path(_ text: String) throws(ValueProblem) -> String {
        let expanded = try Self.replaceKnown(text) { [self] specifier throws(ValueProblem) in
            guard let value = value(specifier), !value.isEmpty else {
                throw ValueProblem("the specifier '%\(specifier)' has no value here")
            }
            return PathPattern.escaped(value)
        }
        return try AbsolutePath.parse(expanded)
    }

    /// Checks a path with specifiers whose values are not known yet, and returns it.
    ///
    /// - Throws: `ValueProblem` for an unknown specifier, or a path that cannot be absolute.
    static func checked(_ text: String) throws(ValueProblem) -> String {
        let sample = try replaceKnown(text) { specifier throws(ValueProblem) in
            directories.contains(specifier) ? "/%\(specifier)" : "%\(specifier)"
        }
        guard try AbsolutePath.parse(sample).utf8.count > 1 else {
            throw ValueProblem("expected a directory below '/', such as '/var/cache/NAME'")
        }
        return text
    }

    private func value(_ specifier: Unicode.Scalar) -> String? {
        switch specifier {
        case "C": isSystem ? "/var/cache" : variable("XDG_CACHE_HOME") ?? home(".cache")
        case "S": isSystem ? "/var/lib" : variable("XDG_STATE_HOME") ?? home(".local/state")
        case "t": isSystem ? "/run" : environment["XDG_RUNTIME_DIR"]
        case "N": service
        case "i": instance
        case "%": "%"
        default: nil
        }
    }

    /// An empty variable counts as one that is not set (XDG Base Directory Specification).
    private func variable(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }

    private func home(_ path: String) -> String? { variable("HOME").map { "\($0)/\(path)" } }

    /// Replaces the specifiers of a path.
    private static func replaceKnown(
        _ text: String, _ value: (Unicode.Scalar) throws(ValueProblem) -> String
    ) throws(ValueProblem) -> String {
        try replace(text) { specifier, offset throws(ValueProblem) in
            guard let specifier, directories.contains(specifier) || names.contains(specifier) else {
                let found = quoted(specifier)
                throw ValueProblem("unknown specifier \(found), expected %C, %S, %t, %N, %i or %%", offset: offset)
            }
            return try value(specifier)
        }
    }

    /// `text` with other text in place of each percent sign and the character after it.
    ///
    /// - Parameter value: returns that text for the character, which is nil at the end of `text`, and for the offset of
    ///   the percent sign.
    static func replace<Failure: Error>(
        _ text: String, _ value: (Unicode.Scalar?, _ offset: Int) throws(Failure) -> String
    ) throws(Failure) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        var result = ""
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            if scalar == "%" {
                let offset = scalars.startIndex - 1
                result += try value(scalars.popFirst(), offset)
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// A specifier in messages; nil is a percent sign at the end.
    static func quoted(_ specifier: Unicode.Scalar?) -> String {
        DisplayText.quoted("%" + (specifier.map { String($0) } ?? ""))
    }
}
