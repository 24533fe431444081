// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

internal import BelfryLinux

/// A message that breaks the protocol. There is no reply to one: the connection is closed (UAPI.20, «Connection
/// Lifecycle»).
public nonisolated enum VarlinkProtocolError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The message is no JSON object.
    case notJSON(JSONParseError)
    /// The message is longer than this many bytes.
    case tooLarge(Int)
    /// A call without a method.
    case missingMethod
    /// A header field of the wrong type.
    case wrongType(String)
    /// A header field that is neither known nor a vendor's.
    case unknownField(String)
    /// A call with more than one of `oneway`, `more` and `upgrade`.
    case conflictingFlags
    /// A reply with `continues` to a call without `more`, or in an error.
    case unexpectedContinues
    /// A reply that no call is waiting for.
    case unexpectedReply
    /// The stream ended in the middle of a message.
    case truncated

    /// What to tell people.
    public var description: String {
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
