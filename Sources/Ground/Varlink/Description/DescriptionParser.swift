// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// Reads Varlink's description language by recursive descent.
///
/// Descriptions are constants of the programs and never come from outside. So it reads every valid one, and does not
/// refuse every other: no name is looked at, and none is compared with others.
nonisolated struct DescriptionParser {
    typealias Description = VarlinkInterfaceDescription

    private var tokens: ArraySlice<String>

    init(_ text: String) { tokens = Self.tokens(of: text)[...] }

    /// The names, words and signs, without white space and comments.
    private static func tokens(of text: String) -> [String] {
        var tokens: [String] = []
        var rest = text.utf8[...]
        while let first = rest.first {
            var length = 1
            switch first {
            case UInt8(ascii: "#"):
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
                continue
            case 0...0x20:
                rest.removeFirst()
                continue
            // `[]` or `[string]`
            case UInt8(ascii: "["): length += rest.prefix { $0 != UInt8(ascii: "]") }.count
            // `->`, as no name begins with it
            case UInt8(ascii: "-"): length = 2
            case let byte where isPartOfName(byte): length = rest.prefix(while: isPartOfName).count
            default: break
            }
            tokens.append(String(decoding: rest.prefix(length), as: UTF8.self))
            rest = rest.dropFirst(length)
        }
        return tokens
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "_.-".utf8.contains(byte)
    }

    mutating func interface() throws(VarlinkDescriptionError) -> Description {
        try expect("interface")
        let interface = try next()
        var methods: [String: [Description.Field]] = [:]
        var types: [String: Description.TypeReference] = [:]
        while let keyword = tokens.popFirst() {
            let name = try next()
            let declared = try composite()
            switch (keyword, declared) {
            case ("type", _): types[name] = declared
            case ("error", .structure): break
            case ("method", .structure(let fields)):
                methods[name] = fields
                try expect("->")
                _ = try composite()
            default: throw failure("expected a type, method or error instead of '\(keyword) \(name)'")
            }
        }
        return Description(name: interface, methods: methods, types: types)
    }

    /// A structure or an enumeration. `()` is a structure without fields.
    private mutating func composite() throws(VarlinkDescriptionError) -> Description.TypeReference {
        try expect("(")
        var fields: [Description.Field] = []
        var names: [String] = []
        while !accept(")") {
            if !names.isEmpty { try expect(",") }
            let name = try next()
            names.append(name)
            if accept(":") { fields.append(.init(name: name, type: try type())) }
        }
        return fields.count == names.count ? .structure(fields) : .enumeration(names)
    }

    private mutating func type() throws(VarlinkDescriptionError) -> Description.TypeReference {
        if tokens.first == "(" { return try composite() }
        switch try next() {
        case "?": return .nullable(try type())
        case "[]": return .array(try type())
        case "[string]": return .map(try type())
        case "bool": return .bool
        case "int": return .int
        case "float": return .float
        case "string": return .string
        case "object": return .object
        case "any": return .any
        case let name: return .named(name)
        }
    }

    private mutating func next() throws(VarlinkDescriptionError) -> String {
        guard let next = tokens.popFirst() else { throw failure("expected more") }
        return next
    }

    private mutating func accept(_ token: String) -> Bool {
        guard tokens.first == token else { return false }
        tokens.removeFirst()
        return true
    }

    private mutating func expect(_ token: String) throws(VarlinkDescriptionError) {
        if !accept(token) { throw failure("expected '\(token)'") }
    }

    private func failure(_ reason: String) -> VarlinkDescriptionError {
        VarlinkDescriptionError(description: "\(reason) before '\(tokens.prefix(8).joined(separator: " "))'")
    }
}
