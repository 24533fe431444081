// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryJSON
internal import BelfrySystemd
internal import Logging

/// Metadata as fields of a record, and as text.
///
/// * A field has the key in upper case, with `_` for each byte that is neither a letter nor a digit of ASCII, and at
///   most 64 bytes. If this does not begin with a letter, or is a name that Belfry, swift-log or syslog uses,
///   `METADATA_` comes before it. Two keys with the same name are two fields of that name, which the journal allows.
/// * The key `MESSAGE_ID` with a 128-bit id as its value is the id of the record.
/// * Values are text; lists and dictionaries are JSON.
/// * Of the keys in order the first 64 are taken, and of a value the first 8 KiB. `BELFRY_METADATA_OMITTED` says how
///   many keys were left out. As text, a value has at most 512 bytes, like all values in texts.
nonisolated struct MetadataFields {
    private static let limit = 64
    private static let longestName = 64
    private static let prefix = "METADATA_"
    private static let reserved = ["MESSAGE", "MESSAGE_ID", "PRIORITY", "LOGGER", "ERROR", "ERROR_TYPE", "ERRNO"]
    private static let reservedPrefixes = ["BELFRY_", "CODE_", "SYSLOG_"]

    private(set) var fields = JournalFields()
    /// ` key=value` for each.
    private(set) var text: RecordText = ""
    private(set) var messageID: String?

    init(_ metadata: Logger.Metadata) {
        guard !metadata.isEmpty else { return }
        var keys = metadata.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }[...]
        if let id = metadata["MESSAGE_ID"].flatMap({ Self.messageID($0.text) }) {
            messageID = id
            keys.removeAll { $0 == "MESSAGE_ID" }
        }
        for key in keys.prefix(Self.limit) {
            guard let value = metadata[key]?.text else { continue }
            fields.add(named: Self.name(key), value.asFieldValue)
            text = text + " \(key.asLogWord)=\(value.asLogWord)"
        }
        if keys.count > Self.limit { fields.add("BELFRY_METADATA_OMITTED", Int64(keys.count - Self.limit)) }
    }

    /// The name of the field.
    static func name(_ key: String) -> String {
        var name = ""
        for byte in key.utf8.prefix(longestName) {
            switch byte {
            case 65...90, 48...57: name.unicodeScalars.append(Unicode.Scalar(byte))
            case 97...122: name.unicodeScalars.append(Unicode.Scalar(byte - 32))
            default: name += "_"
            }
        }
        let isFree = !reserved.contains(name) && !reservedPrefixes.contains { name.hasPrefix($0) }
        guard let first = name.utf8.first, (65...90).contains(first), isFree else {
            return String((prefix + name).prefix(longestName))
        }
        return name
    }

    /// The id in the form of the journal: 32 digits; nil if the text is none. Hyphens may be where a UUID has them (RFC
    /// 9562).
    private static func messageID(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        let isUUID = bytes.count == 36 && [8, 13, 18, 23].allSatisfy { bytes[$0] == UInt8(ascii: "-") }
        let digits = isUUID ? bytes.filter { $0 != UInt8(ascii: "-") } : bytes
        guard digits.count == 32, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        return String(decoding: digits, as: UTF8.self).lowercased()
    }
}

nonisolated extension Logger.MetadataValue {
    /// The text of a text, JSON of anything else.
    fileprivate var text: String {
        switch self {
        case .string(let text): text
        case .stringConvertible(let value): value.description
        case .array, .dictionary: json.description
        }
    }

    private var json: JSONValue {
        switch self {
        case .string(let text): .string(text)
        case .stringConvertible(let value): .string(value.description)
        case .array(let values): .array(values.map(\.json))
        case .dictionary(let members):
            .object(
                JSONObject(
                    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
                        ($0.key, $0.value.json)
                    }))
        }
    }
}

nonisolated extension String {
    /// The text as the value of a field: its first 8 KiB, and `…` if there is more.
    var asFieldValue: String { cut(toBytes: 8 << 10) }

    /// The text as a value in a line: in quotation marks if it is empty, or has spaces, quotation marks or equals
    /// signs. Control characters are escaped, and a long text is cut.
    var asLogWord: RecordText {
        let start = prefix(bytes: RecordText.longestValue + 1)
        let quote = UInt8(ascii: "\"")
        let isWord = start.utf8.allSatisfy { $0 > 0x20 && $0 != quote && $0 != UInt8(ascii: "=") }
        guard utf8.isEmpty || !isWord else { return "\(self)" }
        let escaped = start.utf8.flatMap { $0 == quote ? [UInt8(ascii: "\\"), quote] : [$0] }
        return "\"\(String(decoding: escaped, as: UTF8.self))\""
    }
}
