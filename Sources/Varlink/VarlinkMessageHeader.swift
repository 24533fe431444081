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
        case "method": callField = key
        case "oneway", "more", "upgrade": callField = key
        case "continues", "error": replyField = key
        default: break
        }
        switch (key, value) {
        case ("method", .string(let text)): method = text
        case ("parameters", .object(let object)): parameters = object
        case ("parameters", .null): parameters = [:]
        case ("oneway", .bool(let flag)): oneway = flag
        case ("more", .bool(let flag)): more = flag
        case ("upgrade", .bool(let flag)): upgrade = flag
        case ("continues", .bool(let flag)): continues = flag
        case ("oneway", .null): oneway = false
        case ("more", .null): more = false
        case ("upgrade", .null): upgrade = false
        case ("continues", .null): continues = false
        case ("error", .string(let text)): error = text
        case ("error", .null): error = nil
        case (_, let value) where key.contains("."): extensions[key] = value
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
