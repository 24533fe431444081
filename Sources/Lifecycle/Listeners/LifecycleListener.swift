// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Takes part in the life of a service: it is told of what it declared, in order, under a deadline, and its answer
/// counts.
///
/// Whoever implements it declares each notification that it answers, once, in `answers`, and is called for nothing
/// else:
///
///     final class VideoListener: LifecycleListener {
///         var answers: [LifecycleAnswer] {
///             on(.willResignActive) { [self] _ in player.pause() }
///             on(.didBecomeActive, deadline: .seconds(2)) { [self] _ in try await player.play() }
///         }
///     }
///
/// An answer that throws is reported and stops nobody else. One that is still working when its deadline comes has its
/// task cancelled, is reported, and is no longer waited for.
@MainActor  // in words: Swift 6.3 rejects, in other modules, conformances to protocols that refine it by default
public protocol LifecycleListener: AnyObject {
    /// What the listener is called in the journal and on the socket; its type's name unless it says otherwise.
    var name: String { get }

    /// Names of listeners that are told before this one on the way up, and after it on the way down. One that is not
    /// there is not waited for. None unless it says otherwise.
    var follows: [String] { get }

    /// Listeners of the same rank are told concurrently. Nil, unless it says otherwise, for one that is told alone.
    var rank: Int? { get }

    /// How the listener is, as far as it can tell at once; healthy unless it says otherwise. Asked whenever the
    /// watchdog wants to hear that all is well, and by `LifecycleMediator.checkHealth()`.
    var health: ListenerHealth { get }

    /// What the listener answers. Read once, when it is added to a mediator.
    @LifecycleAnswerBuilder var answers: [LifecycleAnswer] { get }
}

extension LifecycleListener {
    /// The name of the type.
    public var name: String { String(describing: type(of: self)) }
    /// Nobody.
    public var follows: [String] { [] }
    /// Alone.
    public var rank: Int? { nil }
    /// Well.
    public var health: ListenerHealth { .healthy }
}

/// Thrown by a listener to refuse what it is asked: a launch, or a new configuration.
public nonisolated struct LifecycleRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// Why, as the operator shall read it.
    public let reason: String

    /// A refusal for this reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason itself.
    public var description: String { reason }
}
