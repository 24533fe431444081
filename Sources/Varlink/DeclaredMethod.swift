// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A method and what it takes, so that parameters can be checked while they are read for the first time.
package nonisolated final class DeclaredMethod: Sendable {
    /// The fully-qualified name.
    package let name: String
    private let fields: [VarlinkInterfaceDescription.Field]
    private let interface: VarlinkInterfaceDescription

    /// A method by its short name.
    package init(_ name: String, in interface: VarlinkInterfaceDescription) {
        self.name = "\(interface.name).\(name)"
        fields = interface.methods[name]?.input ?? []
        self.interface = interface
    }

    /// The first parameter that does not match; see `VarlinkInterfaceDescription.mismatch(_:with:)`.
    package func mismatch(_ parameters: JSONObject) -> String? { interface.mismatch(parameters, with: fields) }

    /// Passes over parameters, and answers whether they match as far as that is seen in passing: true is certain, and
    /// after false `mismatch(_:)` has the last word.
    func accepts(_ parser: inout JSONParser) throws(JSONParseError) -> Bool {
        guard parser.nextOfValue == UInt8(ascii: "{"), fields.count <= UInt64.bitWidth else {
            _ = try parser.skipValue()
            return false
        }
        var seen: UInt64 = 0
        var isRight = true
        try parser.members { (key, parser) throws(JSONParseError) in
            guard let index = fields.indices.first(where: { key.isSame(as: fields[$0].name) }),
                try accepts(&parser, fields[index].type)
            else {
                isRight = false
                _ = try parser.skipValue()
                return
            }
            seen |= 1 << UInt64(index)
        }
        return isRight && fields.indices.allSatisfy { seen & 1 << UInt64($0) != 0 || fields[$0].type.isNullable }
    }

    /// Passes over a value that matches, and over nothing else.
    private func accepts(
        _ parser: inout JSONParser, _ type: VarlinkInterfaceDescription.TypeReference
    ) throws(JSONParseError) -> Bool {
        let first = parser.nextOfValue
        switch type {
        case .nullable(let type):
            if first != UInt8(ascii: "n") { return try accepts(&parser, type) }
        case .string:
            if first != UInt8(ascii: "\"") { return false }
        case .object:
            if first != UInt8(ascii: "{") { return false }
        default:
            var ahead = parser
            guard interface.mismatch(try ahead.value(), type, "") == nil else { return false }
        }
        _ = try parser.skipValue()
        return true
    }
}

nonisolated extension VarlinkInterfaceDescription.TypeReference {
    fileprivate var isNullable: Bool { if case .nullable = self { true } else { false } }
}
