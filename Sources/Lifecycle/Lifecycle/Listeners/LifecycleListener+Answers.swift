// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Ways to declare an answer.
///
/// Those whose bodies return `ListenerWork` say what the listener did.
extension LifecycleListener {
    /// Answers a notification within the call.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on(
        _ name: LifecycleNotification.Name, _ body: @escaping (LifecycleNotification) throws -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: nil,
            .immediate { notification in
                try body(notification)
                return .completed
            })
    }

    /// Answers a notification within the call, and says what was done.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on<Work: ListenerWork>(
        _ name: LifecycleNotification.Name, _ body: @escaping (LifecycleNotification) throws -> Work
    ) -> LifecycleAnswer {
        LifecycleAnswer(name, deadline: nil, .immediate { AnswerEnd(.completed, try body($0).workSummary) })
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
        on(name, deadline: deadline) { notification, _ in try await body(notification) }
    }

    /// Answers a notification with asynchronous work, and says what was done.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on<Work: ListenerWork>(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> Work
    ) -> LifecycleAnswer {
        on(name, deadline: deadline) { notification, _ in try await body(notification) }
    }

    /// Answers a notification with asynchronous work that may take longer than its share of the transition's time, and
    /// reports progress meanwhile.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take as long as it reports progress; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification, ListenerProgress) async throws -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: deadline,
            .suspending { notification, progress in
                try await body(notification, progress)
                return .completed
            })
    }

    /// Answers a notification with asynchronous work that reports progress, as above, and says what was done.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take as long as it reports progress; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on<Work: ListenerWork>(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification, ListenerProgress) async throws -> Work
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: deadline, .suspending { AnswerEnd(.completed, try await body($0, $1).workSummary) })
    }

    /// Answers a notification with work that ends with a callback, such as that of a thread or a child process.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: begins the work, and returns a closure that cancels it at the deadline. When the work has ended, it
    ///     calls its second argument once, on the main actor.
    public func onCompletion(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification, @escaping (Result<Void, any Error>) -> Void) -> () -> Void
    ) -> LifecycleAnswer {
        onOutcome(name, deadline: deadline) { notification, _, completion in
            body(notification) { result in
                switch result {
                case .success: completion(.completed)
                case .failure(let error): completion(AnswerEnd(error))
                }
            }
        }
    }

    /// Answers a notification with any outcome and work, such as one that another program reports.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - action: for `performAction`, the action that is offered.
    ///   - body: as in `onCompletion`, with a way to report progress.
    package func onOutcome(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil, action: LifecycleAction? = nil,
        _ body: @escaping (LifecycleNotification, ListenerProgress, @escaping (AnswerEnd) -> Void) -> () -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(name, deadline: deadline, action: action, .completing(body))
    }

    /// Answers a typed notification within the call. User info that does not fit the type is reported as a failure.
    ///
    /// - Parameters:
    ///   - type: the notification.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func onEvent<Event: LifecycleEvent>(
        _ type: Event.Type, _ body: @escaping (Event) throws -> Void
    ) -> LifecycleAnswer {
        on(Event.name) { try body(Event($0)) }
    }

    /// Answers a typed notification within the call, and says what was done.
    ///
    /// - Parameters:
    ///   - type: the notification.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func onEvent<Event: LifecycleEvent, Work: ListenerWork>(
        _ type: Event.Type, _ body: @escaping (Event) throws -> Work
    ) -> LifecycleAnswer {
        on(Event.name) { try body(Event($0)) }
    }

    /// Answers a typed notification with asynchronous work. User info that does not fit the type is reported as a
    /// failure.
    ///
    /// - Parameters:
    ///   - type: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func onEvent<Event: LifecycleEvent>(
        _ type: Event.Type, deadline: Duration? = nil, _ body: @escaping (Event) async throws -> Void
    ) -> LifecycleAnswer {
        on(Event.name, deadline: deadline) { try await body(Event($0)) }
    }

    /// Answers a typed notification with asynchronous work, and says what was done.
    ///
    /// - Parameters:
    ///   - type: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func onEvent<Event: LifecycleEvent, Work: ListenerWork>(
        _ type: Event.Type, deadline: Duration? = nil, _ body: @escaping (Event) async throws -> Work
    ) -> LifecycleAnswer {
        on(Event.name, deadline: deadline) { try await body(Event($0)) }
    }

    /// Answers with a fetch result, for a notification whose poster waits for it.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: fetches, and returns the result. An error is reported as a failure.
    public func onFetch(
        _ name: LifecycleNotification.Name = .performFetch, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> FetchResult
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: deadline,
            .suspending { notification, _ in AnswerEnd(.fetched(try await body(notification))) })
    }

    /// Opens a URL, or passes it to the next listener by returning false. With `toAll: true` in the user info, every
    /// listener is asked, whatever the others return.
    ///
    /// - Parameters:
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: opens the URL. An error is reported as a failure.
    public func onOpenURL(
        deadline: Duration? = nil, _ body: @escaping (String) async throws -> Bool
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            .openURL, deadline: deadline,
            .suspending { notification, _ in
                guard case .string(let url) = notification.userInfo["url"] else { return AnswerEnd(.declined) }
                return AnswerEnd(try await body(url) ? .handled : .declined)
            })
    }

    /// Offers an action.
    ///
    /// - Parameters:
    ///   - id: its identifier in requests.
    ///   - title: what it does, in one line for people.
    ///   - deadline: how long it may take; the mediator's own deadline when nil.
    ///   - body: performs the action.
    public func onAction(
        _ id: String, title: String, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> Void
    ) -> LifecycleAnswer {
        onAction(id, title: title, deadline: deadline) { notification in
            try await body(notification)
            return nil as WorkSummary?
        }
    }

    /// Offers an action, and says what was done.
    ///
    /// - Parameters:
    ///   - id: its identifier in requests.
    ///   - title: what it does, in one line for people.
    ///   - deadline: how long it may take; the mediator's own deadline when nil.
    ///   - body: performs the action.
    public func onAction<Work: ListenerWork>(
        _ id: String, title: String, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> Work
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            .performAction, deadline: deadline, action: LifecycleAction(id, title: title),
            .suspending { notification, _ in AnswerEnd(.handled, try await body(notification).workSummary) })
    }
}
