// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The fields that calls and replies are made of, as they are read from a message.
nonisolated struct VarlinkMessageHeader {
    var method: String?
    var parameters = JSONText.empty
    var oneway = false
    var more = false
    var upgrade = false
    var continues = false
    var error: String?
    var extensions = JSONObject()
    /// A field that belongs to replies, or to calls, when one was seen.
    var replyField: String?
    var callField: String?

    /// Whether the parameters are known to match the method.
    private(set) var isMatched = false

    private let likely: DeclaredMethod?

    /// - Parameter likely: the method that is probably called. If it is, its parameters are checked in passing.
    init(likely: DeclaredMethod? = nil) { self.likely = likely }

    mutating func read(_ message: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
        var problem: VarlinkProtocolError?
        do throws(JSONParseError) {
            try message.withUnsafeBufferPointer { bytes throws(JSONParseError) in
                var parser = JSONParser(bytes)
                try parser.members { (key, parser) throws(JSONParseError) in
                    if !(try take(key, of: message, &parser)) {
                        let name = key.string
                        problem = problem ?? (Self.isKnown(name) ? .wrongType(name) : .unknownField(name))
                    }
                }
                try parser.end()
            }
        } catch {
            throw .notJSON(error)
        }
        if let problem { throw problem }
    }

    private static func isKnown(_ key: String) -> Bool {
        ["method", "parameters", "oneway", "more", "upgrade", "continues", "error"].contains(key) || key.contains(".")
    }

    /// Takes a field. Answers false when it is unknown or of the wrong type; `null` is the same as absent where a
    /// field may be absent.
    @inline(__always)
    private mutating func take(
        _ key: JSONKey, of message: ArraySlice<UInt8>, _ parser: inout JSONParser
    ) throws(JSONParseError) -> Bool {
        switch key {
        case "method":
            callField = "method"
            return try takeMethod(&parser)
        case "parameters":
            let range = try passParameters(&parser)
            let text = message[message.startIndex + range.lowerBound..<message.startIndex + range.upperBound]
            guard text.first != UInt8(ascii: "n") else {
                parameters = .empty
                return true
            }
            guard text.first == UInt8(ascii: "{") else { return false }
            parameters = JSONText(text)
            return true
        case "oneway":
            callField = "oneway"
            return Self.set(&oneway, try parser.value())
        case "more":
            callField = "more"
            return Self.set(&more, try parser.value())
        case "upgrade":
            callField = "upgrade"
            return Self.set(&upgrade, try parser.value())
        case "continues":
            replyField = "continues"
            return Self.set(&continues, try parser.value())
        case "error":
            replyField = "error"
            let value = try parser.value()
            error = value.stringValue
            return error != nil || value.isNull
        default:
            let value = try parser.value()
            let name = key.string
            guard name.contains(".") else { return false }
            extensions[name] = value
            return true
        }
    }

    private mutating func passParameters(_ parser: inout JSONParser) throws(JSONParseError) -> Range<Int> {
        guard let likely, method == likely.name, parser.nextOfValue == UInt8(ascii: "{") else {
            isMatched = false
            return try parser.skipValue()
        }
        let start = parser.offset
        isMatched = try likely.accepts(&parser)
        return start..<parser.offset
    }

    private mutating func takeMethod(_ parser: inout JSONParser) throws(JSONParseError) -> Bool {
        isMatched = false
        guard parser.nextOfValue == UInt8(ascii: "\"") else {
            _ = try parser.skipValue()
            return false
        }
        let text = try parser.key()
        if let likely, text.isSame(as: likely.name) { method = likely.name } else { method = text.string }
        return true
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

nonisolated extension JSONWriter {
    /// Header fields of vendors, after other fields.
    mutating func write(extensions: JSONObject) {
        for (key, value) in extensions {
            write(raw: ",")
            write(key)
            write(raw: ":")
            write(value)
        }
    }
}
