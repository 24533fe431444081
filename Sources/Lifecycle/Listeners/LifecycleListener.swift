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
public protocol LifecycleListener: AnyObject {
    /// What the listener is called in the journal and on the socket; its type's name unless it says otherwise.
    var name: String { get }

    /// What the listener answers. Read once, when it is added to a mediator.
    @LifecycleAnswerBuilder var answers: [LifecycleAnswer] { get }
}

extension LifecycleListener {
    /// The name of the type.
    public var name: String { String(describing: type(of: self)) }

    /// Answers a notification at once.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on(
        _ name: LifecycleNotification.Name, _ body: @escaping (LifecycleNotification) throws -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(name: name, deadline: nil, body: .immediate(body))
    }

    /// Answers a notification with asynchronous work.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(name: name, deadline: deadline, body: .suspending(body))
    }
}
