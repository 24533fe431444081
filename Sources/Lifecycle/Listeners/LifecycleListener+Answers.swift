// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The ways to answer.
extension LifecycleListener {
    /// Answers a notification at once.
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
        LifecycleAnswer(
            name, deadline: deadline,
            .suspending { notification, _ in
                try await body(notification)
                return .completed
            })
    }

    /// Answers a notification with asynchronous work that may take longer than its share of the time for all, and says
    /// while it does that it gets on.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take as long as it reports progress.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on(
        _ name: LifecycleNotification.Name, deadline: Duration,
        _ body: @escaping (LifecycleNotification, ListenerProgress) async throws -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: deadline,
            .suspending { notification, progress in
                try await body(notification, progress)
                return .completed
            })
    }

    /// Answers a notification with work that ends by calling back, such as that of a thread or a child process.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: begins the work. It calls what it is given once, on the main actor, when the work has ended, and
    ///     returns what gives the work up at the deadline.
    public func onCompletion(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification, @escaping (Result<Void, any Error>) -> Void) -> () -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(name, deadline: deadline, .calling(body))
    }

    /// Answers a notification with an outcome of any kind that somebody else brings, such as another program.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - action: for `performAction`, the action that is offered.
    ///   - body: as in `onCompletion`, with where to say that the answer gets on.
    package func onOutcome(
        _ name: LifecycleNotification.Name, deadline: Duration? = nil, action: LifecycleAction? = nil,
        _ body: @escaping (LifecycleNotification, ListenerProgress, @escaping (ListenerOutcome) -> Void) -> () -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(name, deadline: deadline, action: action, .completing(body))
    }

    /// Answers a typed notification. One whose user info does not fit the type is reported as a failure.
    ///
    /// - Parameters:
    ///   - type: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: the answer. It throws `LifecycleRefusal` to refuse a launch or a new configuration.
    public func on<Event: LifecycleEvent>(
        _ type: Event.Type, deadline: Duration? = nil, _ body: @escaping (Event) async throws -> Void
    ) -> LifecycleAnswer {
        on(Event.name, deadline: deadline) { notification in
            guard let event = Event(userInfo: notification.userInfo) else {
                throw LifecycleEventError(name: Event.name, userInfo: notification.userInfo)
            }
            try await body(event)
        }
    }

    /// Judges the launch: all verdicts are asked for, and one that is false refuses it.
    ///
    /// - Parameters:
    ///   - deadline: how long the verdict may take; the mediator's own deadline when nil.
    ///   - body: the verdict. It throws `LifecycleRefusal` to say why the launch is refused.
    public func onLaunch(
        deadline: Duration? = nil, _ body: @escaping (LaunchOptions) async throws -> Bool
    ) -> LifecycleAnswer {
        on(LaunchOptions.self, deadline: deadline) { options in
            if try await !body(options) { throw LifecycleRefusal("verdict false") }
        }
    }

    /// Answers with what was found, for a notification that is awaited.
    ///
    /// - Parameters:
    ///   - name: the notification.
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: looks, and says what it found. What it throws is reported as a failure.
    public func onFetch(
        _ name: LifecycleNotification.Name = .performFetch, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> FetchResult
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            name, deadline: deadline, .suspending { notification, _ in .fetched(try await body(notification)) })
    }

    /// Opens a URL, or leaves it to the next listener by returning false.
    ///
    /// - Parameters:
    ///   - deadline: how long the answer may take; the mediator's own deadline when nil.
    ///   - body: opens what it is given. What it throws is reported as a failure.
    public func onOpenURL(
        deadline: Duration? = nil, _ body: @escaping (String) async throws -> Bool
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            .openURL, deadline: deadline,
            .suspending { notification, _ in
                guard case .string(let url) = notification.userInfo["url"] else { return .declined }
                return try await body(url) ? .handled : .declined
            })
    }

    /// Offers an action.
    ///
    /// - Parameters:
    ///   - id: what it is asked for by.
    ///   - title: what it does, in a line for people.
    ///   - deadline: how long it may take; the mediator's own deadline when nil.
    ///   - body: does it.
    public func onAction(
        _ id: String, title: String, deadline: Duration? = nil,
        _ body: @escaping (LifecycleNotification) async throws -> Void
    ) -> LifecycleAnswer {
        LifecycleAnswer(
            .performAction, deadline: deadline, action: LifecycleAction(id, title: title),
            .suspending { notification, _ in
                try await body(notification)
                return .handled
            })
    }
}
