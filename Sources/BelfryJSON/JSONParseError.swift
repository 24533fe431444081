// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Why a JSON text was not understood, and where.
public nonisolated struct JSONParseError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong.
    public enum Reason: Sendable, Equatable {
        /// The text ends too early.
        case unexpectedEnd
        /// This byte cannot stand here.
        case unexpectedByte(UInt8)
        /// A control character must be escaped.
        case controlCharacterInString
        /// There is no such escape.
        case invalidEscape
        /// Half of a surrogate pair.
        case loneSurrogate
        /// The string is no UTF-8.
        case invalidUTF8
        /// The number is too large for a double, or written too long.
        case numberOutOfRange
        /// Too many arrays and objects within each other.
        case nestedTooDeeply
        /// There is more after the value.
        case trailingBytes
    }

    /// What is wrong.
    public let reason: Reason

    /// The byte where it was noticed, counted from 0. For invalid UTF-8, the beginning of the string.
    public let offset: Int

    /// An error made by hand.
    public init(reason: Reason, offset: Int) {
        self.reason = reason
        self.offset = offset
    }

    /// What to tell people.
    public var description: String {
        let what =
            switch reason {
            case .unexpectedEnd: "unexpected end"
            case .unexpectedByte(let byte): "unexpected byte 0x\(String(byte, radix: 16, uppercase: true))"
            case .controlCharacterInString: "control character in string"
            case .invalidEscape: "invalid escape"
            case .loneSurrogate: "lone surrogate"
            case .invalidUTF8: "invalid UTF-8 in string"
            case .numberOutOfRange: "number out of range"
            case .nestedTooDeeply: "nested too deeply"
            case .trailingBytes: "trailing bytes"
            }
        return "\(what) at byte \(offset)"
    }
}
