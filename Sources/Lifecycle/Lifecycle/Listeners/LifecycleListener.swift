// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Takes part in the lifecycle of a service. It is called in order, with a deadline, and its answer can refuse a launch
/// or a reload.
///
/// An implementation declares each notification that it answers in `answers`, and is called for these only. To declare
/// one twice is an error when the listener is added:
///
///     final class VideoListener: LifecycleListener {
///         var answers: [LifecycleAnswer] {
///             on(.willResignActive) { [self] _ in player.pause() }
///             on(.didBecomeActive, deadline: .seconds(2)) { [self] _ in try await player.play() }
///         }
///     }
///
/// An answer that throws is reported, and the other listeners are called. One that is still running at its deadline is
/// cancelled and reported, and the mediator does not wait for it any longer. In a launch both refuse the launch, unless
/// the listener is not required.
@MainActor  // written out: Swift 6.3 rejects, in other modules, conformances to protocols that refine it by default
public protocol LifecycleListener: AnyObject {
    /// The name of the listener in the journal and on the socket. The default is the name of the type.
    var name: String { get }

    /// Names of listeners that are called before this one for arriving notifications, and after it for leaving ones.
    /// Names of listeners that do not exist have no effect. The default is none.
    var follows: [String] { get }

    /// Listeners of the same rank are called concurrently. The default is nil: it is called alone.
    var rank: Int? { get }

    /// Whether a launch needs the listener: an error or a missed deadline of a required one in `willFinishLaunching` or
    /// `didFinishLaunching` refuses the launch, that of another is reported, and the launch goes on. A
    /// `LifecycleRefusal` refuses the launch in both cases. The default is true.
    var isRequired: Bool { get }

    /// Whether the listener can do its work, as far as it can tell immediately. The default is healthy. Read before
    /// each watchdog message, and by `LifecycleMediator.checkHealth()`.
    var health: ListenerHealth { get }

    /// What it is doing at present, in a few words for `belfryctl status`, such as `3 connections`. The default is nil.
    var activity: String? { get }

    /// The listeners with a state that outlives the process: itself, if it is a `RestorableListener`, and those of a
    /// composite. A base class that is only a `LifecycleListener` hides those of its subclasses. The default is none.
    var restorable: [any RestorableListener] { get }

    /// The answers. Read once, when the listener is added to a mediator.
    @LifecycleAnswerBuilder var answers: [LifecycleAnswer] { get }
}

extension LifecycleListener {
    /// The name of the type.
    public var name: String { String(describing: type(of: self)) }
    /// None.
    public var follows: [String] { [] }
    /// Nil: called alone.
    public var rank: Int? { nil }
    /// True: the service does not launch without it.
    public var isRequired: Bool { true }
    /// Healthy.
    public var health: ListenerHealth { .healthy }
    /// Nil.
    public var activity: String? { nil }
    /// None.
    public var restorable: [any RestorableListener] { [] }
}

/// Thrown by a listener to refuse a launch or a new configuration, with nothing but the reason in reports.
public nonisolated struct LifecycleRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// The reason, for the operator.
    public let reason: String

    /// A refusal for this reason.
    public init(_ reason: String) { self.reason = reason }

    /// The reason itself.
    public var description: String { reason }
}
