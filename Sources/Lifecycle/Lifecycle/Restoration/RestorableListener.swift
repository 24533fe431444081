// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// A listener whose state outlives the process: it is encoded before the service ends, and decoded when it starts
/// again.
///
/// After a crash the listener gets the state of the last pause, unless it says when its state has changed
/// (`LifecycleMediator.restorableStateChanged(of:)`): then the service stores it while it runs.
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
/// Duties of an implementation:
///
/// * The identifier is unique and never changes, even if the type is renamed: the state is found by it.
/// * It expects its state after its answer to `willFinishLaunching`, and before that to `didFinishLaunching`.
/// * The listener works without its state. At the first start, and after a state was refused,
///   `decodeRestorableState(_:)` is not called.
/// * `encodeRestorableState()` changes nothing, since the service may go on, and returns a small state: a position, not
///   the data itself. All states of a service together take at most 1 MiB; one that does not fit is reported, and the
///   one that was stored before stays. The state contains no secrets, since it is not encrypted.
/// * `decodeRestorableState(_:)` is called only with a state that was decoded completely. If it throws, it has changed
///   nothing.
/// * A new shape of the state that can still decode the old one, by optional values or an `init(from:)`, keeps
///   `restorableStateVersion`. Any other raises it, and implements `migrateRestorableState(from:version:)`.
public protocol RestorableListener: LifecycleListener {
    /// The state. It belongs to no actor: declare it `nonisolated` in a module whose default is the main actor.
    associatedtype RestorableState: Codable & Sendable

    /// The key of the state: 1 to 255 bytes. Read once, when the service launches.
    var restorationIdentifier: String { get }

    /// The version of the shape of the state. The default is 1.
    var restorableStateVersion: Int { get }

    /// Returns the present state.
    ///
    /// - Throws: any error; it is reported, and the state that was stored last stays.
    func encodeRestorableState() throws -> RestorableState

    /// Restores a state.
    ///
    /// - Throws: any error, before anything has changed; it is reported, and the state is refused.
    func decodeRestorableState(_ state: RestorableState) throws

    /// Returns the present shape of a state that a lower `restorableStateVersion` has stored. The default throws. A
    /// state of a higher version is always refused.
    ///
    /// - Parameters:
    ///   - decoder: decodes the old shape: `try Old(from: decoder)`.
    ///   - version: the version of the old shape.
    /// - Throws: any error; it is reported, and the state is refused.
    func migrateRestorableState(from decoder: any Decoder, version: Int) throws -> RestorableState
}

extension RestorableListener {
    /// 1.
    public var restorableStateVersion: Int { 1 }
    /// Itself.
    public var restorable: [any RestorableListener] { [self] }

    /// Refuses the state.
    ///
    /// - Throws: a `LifecycleRefusal`, always.
    public func migrateRestorableState(from decoder: any Decoder, version: Int) throws -> RestorableState {
        throw LifecycleRefusal("state of version \(version) is older than version \(restorableStateVersion)")
    }
}

extension LifecycleMediator {
    /// Says that the state of a listener has changed. A service stores it within `StateSaveInterval=` (30 s), and at
    /// the end of a stop, beside its work and without `willEncodeRestorableState`, so that after a crash the listener
    /// gets it back. Several changes meanwhile are stored once. What is stored then outlives the process; only a pause
    /// and a stop wait until it also outlives a loss of power.
    ///
    /// It has no effect before `didFinishLaunching`, or for a listener that was added after the launch: its state is
    /// not restored either.
    public func restorableStateChanged(of listener: any RestorableListener) {
        eventObservers.send(.restorableStateChanged(listener))
    }
}
