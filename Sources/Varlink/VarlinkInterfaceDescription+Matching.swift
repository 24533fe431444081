// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

nonisolated extension VarlinkInterfaceDescription {
    /// The longest name of a member that is repeated, in bytes.
    private static let longestEcho = 255

    /// The first of `parameters` that does not match its declaration: missing, of the wrong type or, after all that are
    /// declared, not declared (UAPI.20, «Unknown Fields»). Inner fields are named with their path, `notification.name`.
    public func mismatch(_ parameters: JSONObject, with fields: [Field]) -> String? {
        var mismatch = StructureMismatch(fields)
        parameters.read { (key, parser) throws(JSONParseError) in
            try check(key, &parser, against: fields, &mismatch)
        }
        return mismatch.path
    }

    /// What was found wrong with the members of a structure so far.
    private struct StructureMismatch {
        private let fields: [Field]
        /// What each field lacks, nil for one that matches; first that all are missing.
        private var problems: [String?]
        private var unknown: String?

        init(_ fields: [Field]) {
            self.fields = fields
            problems = fields.map { if case .nullable = $0.type { nil } else { "" } }
        }

        mutating func note(_ place: Int, _ problem: String?) { problems[place] = problem }
        mutating func note(unknown name: String) { unknown = unknown ?? name }

        /// The first field with a problem, with the path below it.
        var path: String? {
            for (field, problem) in zip(fields, problems) {
                if let problem { return field.name + problem }
            }
            return unknown
        }
    }

    private func check(
        _ key: JSONKey, _ parser: inout JSONParser, against fields: [Field], _ mismatch: inout StructureMismatch
    ) throws(JSONParseError) {
        guard let place = fields.firstIndex(where: { key.isSame(as: $0.name) }) else {
            mismatch.note(unknown: key.string.cut(toBytes: Self.longestEcho))
            _ = try parser.skipValue()
            return
        }
        // In Varlink `null` is the same as absent.
        if parser.nextOfValue == UInt8(ascii: "n") {
            _ = try parser.skipValue()
        } else {
            mismatch.note(place, try self.mismatch(&parser, fields[place].type))
        }
    }

    /// Passes over a value. Answers the path from it to what does not match, an empty one if that is itself.
    private func mismatch(_ parser: inout JSONParser, _ type: TypeReference) throws(JSONParseError) -> String? {
        let first = parser.nextOfValue
        switch type {
        case .nullable(let type) where first != UInt8(ascii: "n"): return try mismatch(&parser, type)
        case .named(let name):
            if let type = types[name] { return try mismatch(&parser, type) }
        case .structure(let fields) where first == UInt8(ascii: "{"):
            var found = StructureMismatch(fields)
            try parser.members { (key, parser) throws(JSONParseError) in
                try check(key, &parser, against: fields, &found)
            }
            return found.path.map { "." + $0 }
        case .array(let type) where first == UInt8(ascii: "["):
            var path: String?
            var index = 0
            try parser.elements { parser throws(JSONParseError) in
                let found = try mismatch(&parser, type)
                path = path ?? found.map { "[\(index)]" + $0 }
                index += 1
            }
            return path
        case .map(let type) where first == UInt8(ascii: "{"):
            var path: String?
            try parser.members { (key, parser) throws(JSONParseError) in
                let found = try mismatch(&parser, type)
                path = path ?? found.map { ".\(key.string.cut(toBytes: Self.longestEcho))" + $0 }
            }
            return path
        case .enumeration(let cases) where first == UInt8(ascii: "\""):
            let key = try parser.key()
            return cases.contains { key.isSame(as: $0.name) } ? nil : ""
        case .int where Self.beginsNumber(first): return try parser.value().intValue == nil ? "" : nil
        default:
            _ = try parser.skipValue()
            return Self.begins(first, type) ? nil : ""
        }
        _ = try parser.skipValue()
        return ""
    }

    private static func beginsNumber(_ first: UInt8?) -> Bool {
        first.map { $0 == UInt8(ascii: "-") || ($0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9")) } ?? false
    }

    /// Whether a value that begins so is of the type, as far as nothing more is to be known of it.
    private static func begins(_ first: UInt8?, _ type: TypeReference) -> Bool {
        switch type {
        case .bool: first == UInt8(ascii: "t") || first == UInt8(ascii: "f")
        case .string: first == UInt8(ascii: "\"")
        case .object: first == UInt8(ascii: "{")
        case .float: beginsNumber(first)
        case .any: first != UInt8(ascii: "n")
        case .nullable: first == UInt8(ascii: "n")
        default: false
        }
    }
}
