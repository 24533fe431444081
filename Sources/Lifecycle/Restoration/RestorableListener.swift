// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener whose state outlives the process: encoded before the service ends, decoded when it is back.
///
///     final class PlayerListener: RestorableListener {
///         nonisolated struct Position: Codable, Sendable {
///             var track: String
///             var seconds: Double
///         }
///         let restorationIdentifier = "player"
///
///         func encodeRestorableState() throws -> Position { Position(track: track, seconds: seconds) }
///         func decodeRestorableState(_ state: Position) { seek(to: state.seconds, in: state.track) }
///     }
///
/// Duties of whoever implements it:
///
/// * The identifier never changes, and no other listener has it. It is what the state is found by, so it must outlive
///   a renamed type.
/// * The listener works without its state. There is none at the first start, and none after it was refused: then
///   `decodeRestorableState(_:)` is not called, and the listener starts clean.
/// * `encodeRestorableState()` changes nothing, since the service may yet go on, and returns what is small: where to
///   go on, not the data itself. No secrets: the bytes are not encrypted.
/// * `decodeRestorableState(_:)` gets a state only when all of it could be decoded. If it throws, then before it has
///   changed anything.
/// * Whoever changes the shape of the state raises `restorableStateVersion`, and either migrates the older shapes or
///   lets them be refused.
public protocol RestorableListener: LifecycleListener {
    /// What is kept. It belongs to no actor: `nonisolated` where a module's default is the main actor.
    associatedtype RestorableState: Codable & Sendable

    /// What the state is found by: 1 to 255 bytes. Read once, when the listener is added to a `StateRestorer`.
    var restorationIdentifier: String { get }

    /// The version of the state's shape; 1 unless the listener says otherwise.
    var restorableStateVersion: Int { get }

    /// The state as it is now.
    ///
    /// - Throws: anything, to have nothing stored; the error is reported.
    func encodeRestorableState() throws -> RestorableState

    /// Takes a state over.
    ///
    /// - Throws: anything, to refuse the state before anything has changed; the error is reported.
    func decodeRestorableState(_ state: RestorableState) throws

    /// Turns a state of another version into one of `restorableStateVersion`. `JSONValueDecoder` and `JSONValueEncoder`
    /// help where the old type still exists.
    ///
    /// - Returns: the state in its present shape; nil, as without an implementation, to refuse the version.
    /// - Throws: anything, to refuse this state; the error is reported.
    func migrate(from version: Int, _ value: JSONValue) throws -> JSONValue?
}

extension RestorableListener {
    /// 1: the first.
    public var restorableStateVersion: Int { 1 }

    /// Refuses every other version.
    public func migrate(from version: Int, _ value: JSONValue) -> JSONValue? { nil }
}
