// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

public import Varlink

/// What a hostile service sends.
public nonisolated enum HostileReply {
    /// A text that forges a line and controls the terminal, unless it is escaped.
    public static let forged =
        "x\r\nforged \u{1B}[2J\u{9B}1m\u{85}\u{2028}\u{2029}\u{202E}\u{2066}\u{200B}\u{E0001}\u{7F}\0"
    /// String comparison in Swift takes quadratic time for combining marks.
    public static let long = String(repeating: "\u{301}\u{323}", count: 40_000)

    /// Values for each text and number, with names for the test.
    public static let oddities: [(name: String, value: JSONValue)] = [
        ("greatest", .int(.max)), ("least", .int(.min)), ("-1", -1), ("0", 0), ("1e300", 1e300), ("null", .null),
        ("object", [:]), ("forged", .string(forged)), ("true", true),
        ("deep", (0..<40).reduce(JSONValue.int(1)) { value, _ in .array([value]) }),
        ("many", .array(Array(repeating: "x", count: 200))),
    ]

    /// A message with these parameters, and with these members besides.
    public static func message(_ parameters: JSONObject, _ more: JSONObject = [:]) -> String {
        var message: JSONObject = ["parameters": .object(parameters)]
        for (key, value) in more { message[key] = value }
        return JSONValue.object(message).description
    }
}

extension ChildProgram.End {
    /// Whether a line comes from `HostileReply.forged`.
    public var hasForgedLine: Bool { (output + errors).split(separator: "\n").contains { $0.hasPrefix("forged") } }
}
