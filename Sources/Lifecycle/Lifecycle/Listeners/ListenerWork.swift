// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What an answer may return to say what its listener did: a text, a `WorkSummary`, or nil if there is nothing to say.
///
///     on(.willResignActive) { [self] _ in "stopped at frame \(player.stop())" }
///     on(.flushRequested) { [self] _ in cache.isEmpty ? nil : "freed \(cache.flush()) bytes" }
///
/// It has a record in the journal, with the name of the listener before it, and is in the reply to the client who asked
/// for the notification.
public nonisolated protocol ListenerWork: Sendable {
    /// What was done; nil for nothing that is worth a record.
    var workSummary: WorkSummary? { get }
}

/// What a listener did, for people and for programs.
public nonisolated struct WorkSummary: ListenerWork, Equatable {
    /// In bytes.
    static let longestText = 512
    /// How many values and how many bytes of text `details` may have, with those of objects and arrays in it.
    static let mostDetails = (values: 4096, bytes: 64 << 10)

    /// What was done, in a few words. Line breaks and other control characters are escaped where it is written.
    public let text: String
    /// The same for programs; nil if there is no more to say.
    public let details: UserInfo?

    /// - Parameters:
    ///   - text: what was done, such as `freed 40960 bytes`. It is cut to 512 bytes.
    ///   - details: the same for programs. More than 4096 values or 64 KiB are left out, and `details` is then
    ///     `{"tooLong":true}`.
    public init(_ text: String, details: UserInfo? = nil) {
        self.text = text.cut(toBytes: Self.longestText)
        var left = Self.mostDetails
        self.details = details.map { Self.fits(.object($0), &left) ? $0 : ["tooLong": true] }
    }

    /// Itself.
    public var workSummary: WorkSummary? { self }

    private static func fits(_ value: JSONValue, _ left: inout (values: Int, bytes: Int)) -> Bool {
        left.values -= 1
        guard left.values >= 0 else { return false }
        switch value {
        case .string(let text): left.bytes -= text.utf8.count
        case .array(let elements): return elements.allSatisfy { fits($0, &left) }
        case .object(let object):
            return object.allSatisfy { key, value in
                left.bytes -= key.utf8.count
                return fits(value, &left)
            }
        default: break
        }
        return left.bytes >= 0
    }
}

nonisolated extension String: ListenerWork {
    /// A summary with this text.
    public var workSummary: WorkSummary? { WorkSummary(self) }
}

nonisolated extension Optional: ListenerWork where Wrapped: ListenerWork {
    /// That of the value, if there is one.
    public var workSummary: WorkSummary? { self?.workSummary }
}

/// How an answer ended, and what its listener did.
package nonisolated struct AnswerEnd: Sendable {
    package let outcome: ListenerOutcome
    package let work: WorkSummary?

    package init(_ outcome: ListenerOutcome, _ work: WorkSummary? = nil) { (self.outcome, self.work) = (outcome, work) }

    /// It finished, and has nothing to say.
    package static var completed: AnswerEnd { AnswerEnd(.completed) }

    /// The end of an answer that threw this error.
    init(_ error: any Error) { self.init(ListenerOutcome(error)) }
}
