// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Encodes the states of listeners into an archive, and decodes them again.
///
/// A problem of one listener is reported, and does not affect the others. It opens no file: the caller stores the bytes of
/// the archive. Listeners that are added or removed during `encode()` or `decode(_:)` count from the next call on.
package final class StateRestorer {
    private struct Member {
        let identifier: String
        let listener: any RestorableListener
    }

    /// The limits of the archive.
    package let limits: RestorationLimits
    private var members: [Member] = []

    /// Makes a restorer without listeners.
    package init(limits: RestorationLimits = .standard) { self.limits = limits }

    /// The identifiers of the listeners, in the order in which they were added.
    package var identifiers: [String] { members.map(\.identifier) }

    /// Adds a listener, and retains it until it is removed.
    ///
    /// - Throws: `RestorationError.duplicateIdentifier` when the identifier exists already, even for the same listener, and
    ///   `RestorationError.invalidIdentifier`.
    package func addListener(_ listener: any RestorableListener) throws(RestorationError) {
        let identifier = listener.restorationIdentifier
        guard 1...255 ~= identifier.utf8.count else { throw .invalidIdentifier(identifier) }
        guard !identifiers.contains(identifier) else { throw .duplicateIdentifier(identifier) }
        members.append(Member(identifier: identifier, listener: listener))
    }

    /// Encodes the state of every listener. A state that cannot be encoded, or does not fit into the archive, is left out.
    package func encode() -> (archive: RestorationArchive, report: RestorationReport) {
        var archive = RestorationArchive(limits: limits)
        let items = members.map { member in
            report(member) {
                try archive.insert(try state(of: member.listener), for: member.identifier)
                return .stored
            }
        }
        return (archive, RestorationReport(items: items, unclaimed: []))
    }

    /// Restores the state of every listener. If a state has another version, or cannot be
    /// decoded completely, the listener is not called.
    @discardableResult
    package func decode(_ archive: RestorationArchive) -> RestorationReport {
        let members = members
        let items = members.map { member in
            report(member) {
                guard let entry = archive[member.identifier] else { return .absent }
                try restore(entry, to: member.listener)
                return .restored
            }
        }
        let claimed = Set(members.map(\.identifier))
        return RestorationReport(items: items, unclaimed: archive.identifiers.filter { !claimed.contains($0) })
    }

    private func report(_ member: Member, _ body: () throws -> RestorationOutcome) -> RestorationReport.Item {
        let outcome: RestorationOutcome
        do { outcome = try body() } catch { outcome = .refused(CodingReason(error).description) }
        return RestorationReport.Item(identifier: member.identifier, listener: member.listener.name, outcome: outcome)
    }

    private func state(of listener: some RestorableListener) throws -> RestorationArchive.Entry {
        let encoder = JSONValueEncoder(maximumDepth: limits.depth)
        let value = try encoder.encode(try listener.encodeRestorableState())
        return RestorationArchive.Entry(version: listener.restorableStateVersion, value: value)
    }

    private func restore<Listener: RestorableListener>(
        _ entry: RestorationArchive.Entry, to listener: Listener
    ) throws {
        let version = listener.restorableStateVersion
        guard entry.version == version else {
            let relation = entry.version > version ? "newer" : "older"
            throw LifecycleRefusal("state of version \(entry.version) is \(relation) than version \(version)")
        }
        try listener.decodeRestorableState(JSONValueDecoder().decode(Listener.RestorableState.self, from: entry.value))
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
