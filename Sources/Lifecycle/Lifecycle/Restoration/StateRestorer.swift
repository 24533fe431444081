// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Encodes the states of listeners into an archive, and decodes them again.
///
/// A problem of one listener is reported, and does not affect the others. It opens no file: the caller stores the bytes
/// of the archive. Listeners that are added during `encode()` or `decode(_:)` count from the next call on.
package final class StateRestorer {
    private struct Member {
        let identifier: String
        let listener: any RestorableListener
        /// Whether the listener has said so since its state was encoded.
        var hasChanged = false
    }

    /// What was decoded, with what was encoded since. A state that no listener has stays in it.
    package private(set) var archive = RestorationArchive()
    private var members: [Member] = []

    /// Makes a restorer without listeners.
    package init() {}

    /// The identifiers of the listeners, in the order in which they were added.
    package var identifiers: [String] { members.map(\.identifier) }

    /// Adds a listener, and retains it.
    ///
    /// - Throws: `RestorationError.duplicateIdentifier` when the identifier exists already, even for the same listener,
    ///   and `RestorationError.invalidIdentifier`.
    package func addListener(_ listener: any RestorableListener) throws(RestorationError) {
        let identifier = listener.restorationIdentifier
        guard 1...255 ~= identifier.utf8.count else { throw .invalidIdentifier(identifier) }
        guard !identifiers.contains(identifier) else { throw .duplicateIdentifier(identifier) }
        members.append(Member(identifier: identifier, listener: listener))
    }

    /// Has `encodeChanged()` encode the state of a listener.
    ///
    /// - Returns: whether this is a listener of this restorer.
    package func setChanged(_ listener: any RestorableListener) -> Bool {
        guard let index = members.firstIndex(where: { $0.listener === listener }) else { return false }
        members[index].hasChanged = true
        return true
    }

    /// Whether `encodeChanged()` has something to encode.
    package var hasChanges: Bool { members.contains(where: \.hasChanged) }

    /// Encodes the state of every listener. If one cannot be encoded, or does not fit into the archive, that which the
    /// archive had stays.
    ///
    /// - Returns: the problems, as «NAME: REASON».
    package func encode() -> [String] { encode { _ in true } }

    /// The same for the listeners whose state has changed.
    package func encodeChanged() -> [String] { encode(where: \.hasChanged) }

    private func encode(where isWanted: (Member) -> Bool) -> [String] {
        let wanted = members.indices.filter { isWanted(members[$0]) }
        for index in wanted { members[index].hasChanged = false }
        return wanted.map { members[$0] }.compactMap { member in
            do {
                try archive.replace(
                    state(of: member.listener), version: member.listener.restorableStateVersion, for: member.identifier)
                return nil
            } catch {
                return "\(member.listener.name): \(CodingReason(error))"
            }
        }
    }

    /// Restores the state of every listener. If a state has a newer version, or cannot be decoded completely, the
    /// listener is not called.
    ///
    /// - Returns: the outcome for each listener, in the order in which they were added.
    @discardableResult
    package func decode(_ archive: RestorationArchive) -> [(
        listener: String, identifier: String, outcome: RestorationOutcome
    )] {
        self.archive = archive
        return members.map { member in
            let outcome: RestorationOutcome
            do { outcome = try restore(member) } catch { outcome = .refused(CodingReason(error).description) }
            return (member.listener.name, member.identifier, outcome)
        }
    }

    private func restore(_ member: Member) throws -> RestorationOutcome {
        guard let entry = archive[member.identifier] else { return .absent }
        try restore(entry.value, of: entry.version, to: member.listener)
        return .restored
    }

    private func state(of listener: some RestorableListener) throws -> JSONValue {
        try JSONValueEncoder(maximumDepth: RestorationArchive.deepest).encode(try listener.encodeRestorableState())
    }

    private func restore<Listener: RestorableListener>(
        _ value: JSONValue, of stored: Int64, to listener: Listener
    ) throws {
        let version = listener.restorableStateVersion
        guard stored <= version else {
            throw LifecycleRefusal("state of version \(stored) is newer than version \(version)")
        }
        let state =
            stored == version
            ? try JSONValueDecoder().decode(Listener.RestorableState.self, from: value)
            : try listener.migrateRestorableState(
                from: JSONValueDecoder().decode(ItsDecoder.self, from: value).decoder, version: Int(stored))
        try listener.decodeRestorableState(state)
    }
}

/// The decoder of a value, for a type that is known later.
private nonisolated struct ItsDecoder: Decodable {
    let decoder: any Decoder

    init(from decoder: any Decoder) { self.decoder = decoder }
}

/// The outcome of restoring one listener's state.
package nonisolated enum RestorationOutcome: Sendable, Equatable {
    /// The listener has restored it.
    case restored
    /// The archive has no state for the listener.
    case absent
    /// It was not restored, for this reason.
    case refused(String)

    /// The word that stands for it in the journal and on the socket.
    package var kind: String {
        switch self {
        case .restored: "restored"
        case .absent: "absent"
        case .refused: "refused"
        }
    }
}

/// The reason why a state could not be encoded or decoded, for the operator: the path, then the reason.
nonisolated struct CodingReason: CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description =
            switch error {
            case DecodingError.keyNotFound(_, let context), DecodingError.valueNotFound(_, let context),
                DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
                Self.text(context.codingPath, context.debugDescription)
            case EncodingError.invalidValue(_, let context): Self.text(context.codingPath, context.debugDescription)
            default: "\(error)"
            }
    }

    /// `windows[2].title: expected String, found null`.
    private static func text(_ path: [any CodingKey], _ reason: String) -> String {
        let place = path.reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += place.isEmpty ? key.stringValue : "." + key.stringValue
            }
        }
        return place.isEmpty ? reason : "\(place): \(reason)"
    }
}
