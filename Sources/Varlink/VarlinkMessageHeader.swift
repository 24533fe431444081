// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The fields that calls and replies are made of, as they are read from a message.
nonisolated struct VarlinkMessageHeader {
    var method: String?
    var parameters = VarlinkObject()
    var oneway = false
    var more = false
    var upgrade = false
    var continues = false
    var error: String?
    var extensions = VarlinkObject()
    /// A field that belongs to replies, or to calls, when one was seen.
    var replyField: String?
    var callField: String?

    mutating func read(_ message: ArraySlice<UInt8>) throws(VarlinkProtocolError) {
        var problem: VarlinkProtocolError?
        do throws(VarlinkParseError) {
            try message.withUnsafeBufferPointer { bytes throws(VarlinkParseError) in
                var parser = JSONParser(bytes)
                try parser.members { (key, parser) throws(VarlinkParseError) in
                    let value = try parser.value()
                    if !set(key, value) {
                        problem = problem ?? (Self.isKnown(key) ? .wrongType(key) : .unknownField(key))
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
    private mutating func set(_ key: String, _ value: VarlinkValue) -> Bool {
        switch key {
        case "method", "oneway", "more", "upgrade": callField = key
        case "continues", "error": replyField = key
        default: break
        }
        switch key {
        case "method":
            guard case .string(let text) = value else { return false }
            method = text
        case "parameters":
            guard let object = value.isNull ? VarlinkObject() : value.objectValue else { return false }
            parameters = object
        case "oneway": return Self.set(&oneway, value)
        case "more": return Self.set(&more, value)
        case "upgrade": return Self.set(&upgrade, value)
        case "continues": return Self.set(&continues, value)
        case "error":
            if value.isNull { error = nil } else if let text = value.stringValue { error = text } else { return false }
        default:
            guard key.contains(".") else { return false }
            extensions[key] = value
        }
        return true
    }

    private static func set(_ flag: inout Bool, _ value: VarlinkValue) -> Bool {
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
    mutating func write(extensions: VarlinkObject) {
        for (key, value) in extensions {
            write(raw: ",")
            write(key)
            write(raw: ":")
            write(value)
        }
    }
}
