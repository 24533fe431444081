// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// The fields of a call or a reply, read from a message in one pass.
nonisolated struct VarlinkMessageHeader: ~Copyable {
    private(set) var method: String?
    private(set) var parameters = JSONObject()
    private(set) var oneway = false
    private(set) var more = false
    private(set) var upgrade = false
    private(set) var continues = false
    private(set) var error: String?
    /// A field that only replies have, or only calls, if one was found.
    private(set) var replyField: String?
    private(set) var callField: String?

    init(_ message: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
        var problem: VarlinkProtocolError?
        do throws(JSONParseError) {
            try message.withUnsafeBufferPointer { bytes throws(JSONParseError) in
                var parser = JSONParser(bytes)
                try parser.members { (key, parser) throws(JSONParseError) in
                    let found = try read(key, &parser)
                    problem = problem ?? found
                }
                try parser.end()
            }
        } catch {
            throw .notJSON(error)
        }
        if let problem { throw problem }
    }

    /// Reads a field, and returns what is wrong with it. `null` is the same as absent where a field may be absent.
    private mutating func read(
        _ key: JSONKey, _ parser: inout JSONParser
    ) throws(JSONParseError) -> VarlinkProtocolError? {
        switch key {
        case "method":
            callField = "method"
            method = try parser.value().stringValue
            return method == nil ? .wrongType("method") : nil
        case "parameters":
            if parser.nextOfValue == UInt8(ascii: "{") {
                parameters = try parser.readObject()
                return nil
            }
            return try parser.value().isNull ? nil : .wrongType("parameters")
        case "oneway":
            callField = "oneway"
            return Self.set(&oneway, try parser.value()) ? nil : .wrongType("oneway")
        case "more":
            callField = "more"
            return Self.set(&more, try parser.value()) ? nil : .wrongType("more")
        case "upgrade":
            callField = "upgrade"
            return Self.set(&upgrade, try parser.value()) ? nil : .wrongType("upgrade")
        case "continues":
            replyField = "continues"
            return Self.set(&continues, try parser.value()) ? nil : .wrongType("continues")
        case "error":
            replyField = "error"
            let value = try parser.value()
            error = value.stringValue
            return error == nil && !value.isNull ? .wrongType("error") : nil
        default:
            let name = key.string
            _ = try parser.skipValue()
            // Fields with a dot belong to vendors, and are ignored.
            return name.utf8.contains(UInt8(ascii: ".")) ? nil : .unknownField(name.echo)
        }
    }

    private static func set(_ flag: inout Bool, _ value: JSONValue) -> Bool {
        switch value {
        case .bool(let value): flag = value
        case .null: flag = false
        default: return false
        }
        return true
    }
}

/// A message breaks the protocol. It gets no reply: the connection is closed (UAPI.20, «Connection Lifecycle»).
package nonisolated enum VarlinkProtocolError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message is no JSON object.
    case notJSON(JSONParseError)
    /// The message is longer than this many bytes.
    case tooLarge(Int)
    /// A call without a method.
    case missingMethod
    /// A header field of the wrong type.
    case wrongType(String)
    /// A header field that is neither known nor a vendor's (with a dot).
    case unknownField(String)
    /// A call with more than one of `oneway`, `more` and `upgrade`.
    case conflictingFlags
    /// A reply with `continues` to a call without `more`, or in an error.
    case unexpectedContinues
    /// A reply that no call is waiting for.
    case unexpectedReply
    /// The stream ended in the middle of a message.
    case truncated

    /// A text for people.
    package var description: String {
        switch self {
        case .notJSON(let error): "message is not a JSON object: \(error)"
        case .tooLarge(let limit): "message is longer than \(limit) bytes"
        case .missingMethod: "call has no method"
        case .wrongType(let field): "field '\(SystemError.escape(field))' has the wrong type"
        case .unknownField(let field): "unknown field '\(SystemError.escape(field))'"
        case .conflictingFlags: "call has more than one of oneway, more and upgrade"
        case .unexpectedContinues: "reply continues a call that does not expect it"
        case .unexpectedReply: "reply without a call"
        case .truncated: "message has no end"
        }
    }
}
