// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

package import BelfryConfiguration
package import Varlink

/// User info from the command line: `key=value` and `key:=JSON`.
package enum UserInfoArguments {
    /// The members that the arguments describe. After `=`, a JSON number, `true`, `false` or `null` is taken as that,
    /// and everything else as text; after `:=` comes any JSON.
    ///
    /// - Throws: for the first invalid argument.
    package static func parse(_ arguments: [String]) throws(ValueProblem) -> JSONObject {
        var members = JSONObject()
        for argument in arguments {
            guard let sign = argument.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                throw ValueProblem("expected key=value or key:=JSON, not '\(argument)'")
            }
            var key = String(argument[..<sign])
            let text = String(argument[argument.utf8.index(after: sign)...])
            let isJSON = key.hasSuffix(":")
            if isJSON { key.removeLast() }
            guard !key.isEmpty else { throw ValueProblem("missing key in '\(argument)'") }
            guard members[key] == nil else { throw ValueProblem("key '\(key)' is given twice") }
            members[key] = isJSON ? try json(text, of: key) : scalar(text)
        }
        return members
    }

    /// Refuses a post with an invalid name or invalid user info.
    package static func checkPost(of name: String, _ arguments: [String]) throws {
        try valid(NotificationName.parse(name))
        try valid(parse(arguments))
    }

    private static func json(_ text: String, of key: String) throws(ValueProblem) -> JSONValue {
        do throws(JSONParseError) {
            return try JSONValue(json: Array(text.utf8))
        } catch {
            throw ValueProblem("value of '\(key)' is not JSON: \(error)")
        }
    }

    private static func scalar(_ text: String) -> JSONValue {
        guard let value = try? JSONValue(json: Array(text.utf8)) else { return .string(text) }
        switch value {
        case .null, .bool, .int:
            return value
        // A long run of digits is text: a number would be rounded.
        case .double where text.utf8.contains { "eE.".utf8.contains($0) }:
            return value
        case .double, .string, .array, .object:
            return .string(text)
        }
    }
}
