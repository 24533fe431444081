// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// Transitions and the background tasks that delay them.
extension LifecycleMediator {
    /// Performs a transition: delivers the notifications that `trigger` causes in the present state, in order.
    ///
    /// One transition runs at a time, and others wait. A stop cancels those that wait (result `overtaken`) and a launch
    /// under way, and gives any other one under way at most half of its own time. A second stop sets every deadline of
    /// the first to zero. Reloads that are requested during a reload are merged into one, whose `count` is their
    /// number.
    ///
    /// - Parameters:
    ///   - trigger: what happened.
    ///   - origin: who caused it.
    ///   - userInfo: added to the notification that reports the trigger. For a pause, a resume and an interruption only
    ///     `count` and `reason`, a text for people, are added, to their last notification.
    ///   - completion: called once, when the transition has ended.
    public func perform(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin = .service, userInfo: UserInfo = [:],
        completion: ((TransitionReport) -> Void)? = nil
    ) {
        request(trigger, origin: origin, userInfo: userInfo, completion)
    }

    /// The same, with a request that can be withdrawn.
    @discardableResult
    package func request(
        _ trigger: LifecycleTrigger, origin: LifecycleOrigin, userInfo: UserInfo = [:],
        _ completion: ((TransitionReport) -> Void)?
    ) -> TransitionRequest {
        accept(trigger, .standard, origin: origin, userInfo: userInfo, completion)
    }

    @discardableResult
    private func accept(
        _ trigger: LifecycleTrigger, _ kind: Transition.Kind, origin: LifecycleOrigin = .service,
        userInfo: UserInfo = [:], _ completion: ((TransitionReport) -> Void)?
    ) -> TransitionRequest {
        let request = TransitionRequest(completion)
        run(transitions.add(Transition(trigger, kind, origin: origin, userInfo: userInfo, request)))
        return request
    }

    /// Withdraws a request whose transition has not begun; its completion is not called. Has no effect on others that
    /// have asked for the same transition, nor once it has begun.
    package func withdraw(_ request: TransitionRequest) { transitions.withdraw(request) }

    /// Asks the listeners whether a reload would be accepted: reads the configuration and delivers `willReload` with
    /// it, to which listeners only check. Nothing changes, and neither `didReload` nor `didFailToReload` follows.
    ///
    /// It has its turn as any other transition. The user info of its notification has `dryRun: true`.
    ///
    /// - Parameters:
    ///   - origin: who asked.
    ///   - completion: called once. The result is `refused` if a reload would be refused now.
    public func checkReload(
        origin: LifecycleOrigin = .service, completion: @escaping (TransitionReport) -> Void
    ) {
        accept(.reload, .dryRun, origin: origin, userInfo: ["dryRun": true], completion)
    }

    /// The transition under way, if there is one, and those that wait, in the order in which they run; at most the
    /// first
    /// 16. There are rarely more than two: requests for the same transition are merged.
    public var pendingTransitions: [PendingTransition] {
        transitions.pending.prefix(16).map { PendingTransition($0, isUnderWay: $0 === transitions.current) }
    }

    /// Whether a transition is under way.
    public var isInTransition: Bool { transitions.current != nil }

    /// The time that the transition under way has left for all listeners together; nil when there is none.
    public var remainingTime: Duration? { transitions.current.map(transitions.remaining) }

    /// The names of the listeners or of the background tasks that the transition under way waits for, or of the units
    /// that are to stop before the service.
    public var pending: [String] {
        transitions.preparation?.names() ?? (taskWait == nil ? delivery?.pending ?? [] : backgroundTasks.names)
    }

    // MARK: Stop and sleep

    /// Whether a stop is under way or waits for its turn, so that another would cut it short.
    package var isStopping: Bool { transitions.stop != nil }

    /// Stops the service, which waits for these preparations, in their order, each when it is due, and for none after
    /// a second stop. They do not count when a stop is under way already.
    package func stop(origin: LifecycleOrigin, userInfo: UserInfo, preparing preparations: [StopPreparation]) {
        let stop = Transition(.stop, origin: origin, userInfo: userInfo, TransitionRequest(nil))
        stop.preparations = preparations
        run(transitions.add(stop))
    }

    /// Whether the stop waits for its turn: its time has not begun.
    package var isAwaitingTurn: Bool { transitions.preparation?.moment == .beginning }

    /// Adds to the user info of `willTerminate` for the stop that is under way or waits, replacing earlier values. Has
    /// no effect without a stop, and after `willTerminate` was posted.
    package func addToStop(_ userInfo: UserInfo) { transitions.stop?.userInfo.merge(userInfo) { $1 } }

    /// Says before the launch that the pause, which the last process left, has failed: another one is run again.
    package func pauseHasFailed() { transitions.machine.hasFailedPause = true }

    /// Pauses the service before a sleep of the machine. This pause is not merged with others.
    ///
    /// - Parameter limit: how long it waits for background tasks. They go on then, also during the sleep.
    package func pauseForSleep(waitingAtMost limit: Duration, _ completion: @escaping (TransitionReport) -> Void) {
        accept(.pause, .sleep(wait: limit), completion)
    }

    /// Ends a pause under way before this returns, without waiting for listeners or background tasks, because the
    /// machine sleeps now. A pause for the sleep that waits for its turn will not wait for them either.
    package func hurryPauseForSleep() { run(transitions.hurryPause()) }

    /// Whether the pause for a sleep of the machine is under way.
    package var isPausingForSleep: Bool { transitions.current?.isForSleep == true }

    /// Resumes the service before any other transition that waits, because of what `reason` says.
    package func resumeNext(because reason: String, _ completion: @escaping (TransitionReport) -> Void) {
        accept(.resume, .next, userInfo: ["reason": .string(reason)], completion)
    }

    /// How many pauses were asked for so far, not counting those for a sleep.
    package var pauses: Int { transitions.pauses }

    // MARK: Background tasks

    /// Begins work that delays a pause or a stop, as `UIApplication.beginBackgroundTask` does.
    ///
    /// The task ends with `end()`, when it is released, and at its deadline. A pause or a stop also ends it when its
    /// share of the time is used up and it does not report progress (`BackgroundTask.reportProgress`). A second stop
    /// ends it at once. If the machine sleeps before the pause has ended, the wait ends and the task goes on.
    ///
    /// - Parameters:
    ///   - name: its name in reports.
    ///   - deadline: how long it may take from now on.
    ///   - expiration: called once when it expires, before it ends.
    public func beginBackgroundTask(
        named name: String, deadline: Duration, expiration: (() -> Void)? = nil
    ) -> BackgroundTask {
        BackgroundTask(name, deadline: deadline, clock: clock, in: backgroundTasks, expiration)
    }

    /// Calls `body` once when no background task is under way, which may be now, or when a stop ends the wait for them.
    package func whenBackgroundTasksEnd(_ body: @escaping () -> Void) { backgroundTasks.whenEmpty(body) }

    // MARK: Actions

    /// Performs actions, and then those that are due next. What an action calls may perform triggers of its own: these
    /// are accepted at once, and what is due next is done after the action.
    private func run(_ actions: [TransitionRunner.Action]) {
        guard !isRunning else { return perform(actions) }
        isRunning = true
        perform(actions)
        while let action = transitions.next() { perform(action) }
        isRunning = false
    }

    func perform(_ actions: [TransitionRunner.Action]) { for action in actions { perform(action) } }

    private func perform(_ action: TransitionRunner.Action) {
        switch action {
        case .send(let event): eventObservers.send(event)
        case .readConfiguration(let transition):
            if transition.trigger == .reload || readConfiguration != nil { read(into: transition) }
            transitions.hasRead(transition)
        case .deliver(let name, let step, let transition): deliver(name, step, of: transition)
        case .wait(let transition): wait(for: transition)
        case .endWait:
            taskWait?.end()
            taskWait = nil
        case .prepare(let preparation, let stop):
            preparation.begin(on: clock) { [weak self, weak stop, weak preparation] in
                guard let self, let stop, let preparation else { return }
                transitions.prepared(preparation, for: stop)
                run([])
            }
        case .expireTasks: backgroundTasks.expireAll(.secondStop)
        case .cutShort: delivery?.cutShort()
        case .retime:
            taskWait?.retime()
            delivery?.retime()
        case .reportOvertaken(let transition): transition.finish(.overtaken)
        case .reportEnd(let transition): eventObservers.send(.transitionEnded(transition.finish(transition.result)))
        }
    }

    /// Reads the configuration. On failure the transition has the reasons.
    func read(into transition: Transition) {
        do {
            transition.configuration = try readConfiguration?(transition.kind == .dryRun) ?? configuration
        } catch let error as LifecycleReloadError {
            transition.reasons = error.reasons
        } catch {
            transition.reasons = [String(describing: error)]
        }
    }

    private func deliver(_ name: LifecycleNotification.Name, _ step: LifecycleStep, of transition: Transition) {
        let delivery = delivery(of: name, step, in: transition)
        self.delivery = delivery
        if transition.cutShortBy != nil { delivery.cutShort() }
        delivery.advance()
    }

    /// The listeners of a step are done or out of time.
    func delivered(_ step: LifecycleStep, _ report: LifecycleReport, of transition: Transition) {
        self.report(report, nil)
        delivery = nil
        transitions.delivered(step, report, of: transition)
        run([])
    }

    private func wait(for transition: Transition) {
        let names = backgroundTasks.names
        if !names.isEmpty { eventObservers.send(.waiting(transition.trigger, names)) }
        // An observer may have asked for a stop.
        guard transitions.isAwaitingTasks, transitions.current === transition else { return }
        let wait = BackgroundTaskWait(
            for: backgroundTasks, clock: clock, expiresTasks: !transition.isForSleep,
            share: { [unowned self] in shareOfTasks(in: transition, from: $0) },
            progress: { [weak self] in self?.report($1, of: $0, in: transition) })
        taskWait = wait
        backgroundTasks.whenEmpty { [weak self, weak wait] in
            guard let self, let wait, taskWait === wait else { return }
            transitions.tasksEnded()
            run([.endWait])
        }
    }

    /// The share of the tasks in the time of a transition from a moment on.
    private func shareOfTasks(in transition: Transition, from startUsec: UInt64) -> TimeShare {
        let wanted = Duration(from: startUsec, to: backgroundTasks.lastEndUsec)
        let left = Duration(from: startUsec, to: transition.limitUsec)
        let times = WantedTimes([wanted] + timesWanted(for: transition.steps), within: left)
        let share = times.share(of: wanted, before: 1, within: left)
            .extended(within: transitions.extensionLeft(of: transition, from: startUsec))
        return transitions.waitLeft(of: transition, from: startUsec).map(share.limited(to:)) ?? share
    }

    /// A listener or a background task reports progress to a transition that waits for it.
    func report(_ progress: ProgressReport, of name: String, _ sequence: UInt64? = nil, in transition: Transition) {
        eventObservers.send(.progress(transitions.record(progress, of: name, sequence, in: transition)))
    }
}
