// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The methods of `io.belfry.Lifecycle`.
nonisolated let lifecycleInterfaceMethods = """
    # The state of the service, and how it got there.
    method GetState() -> (
      state: string,
      sequence: int,
      sequenceId: ?string,
      uptimeUsec: int,
      bootId: string,
      invocationId: ?string,
      pid: int,
      service: string,
      version: string,
      subscribers: int,
      # The change of state or the reload that is under way; others wait until it has ended
      transition: ?Transition,
      # When it came into this state, by CLOCK_REALTIME
      stateSinceUsec: ?int,
      # The last notification: sequence, name, realtimeUsec and origin
      lastNotification: ?object,
      # How and why it was started, as didFinishLaunching tells it
      launch: ?object,
      # Who has paused this run, or else who ended the one before it, and why. A pause that has ended has endedBy, which
      # is an Origin, and endedUsec; if nobody has asked for the end, also endReason
      lastWord: ?object,
      # Of an application: when and why commands have failed that have not succeeded since, by their verbs
      failedCommands: ?[string]string
    )

    # Subscribe to notifications. Needs 'more'. The first reply has the state, each later one a notification. With
    # 'names' only those are sent, at most 256 in 4096 bytes. With 'after' past notifications after that number are sent
    # first, if memory has them. If the 'sequence' of the state is lower than 'after', the numbers have begun again.
    method Subscribe(names: ?[]string, after: ?int) -> (state: ?State, notification: ?Notification)

    # Post a notification: a name of your own, flushRequested, statusRequested, performFetch, or didReceiveNotification,
    # whose user info has 'name' and may have 'userInfo'; the service adds 'foreground'. With 'wait' the reply comes
    # when all listeners have answered, with their outcomes. 'result' is 'posted' without 'wait', otherwise 'newData' if
    # any has new data, otherwise 'failed' if any failed, otherwise 'noData'. With 'wait' and 'more', a reply with the
    # result 'running' comes whenever a listener reports progress. A call waits while 256 posts of its user wait for
    # listeners.
    method Post(name: string, userInfo: ?object, wait: ?bool) -> (sequence: int, result: string, reports: []Report)

    # Have listeners handle an event of the system as if it had happened: didReceiveMemoryWarning,
    # significantTimeChange, powerFailing, protectedDataWillBecomeUnavailable or protectedDataDidBecomeAvailable.
    # 'userInfo' is that of the notification, which has 'simulated' besides. The reply is as for PerformAction.
    method Simulate(name: string, userInfo: ?object) -> (sequence: int, result: string, reports: []Report)

    # Pause the service. The reply comes when it is in the background. 'reports' has the listeners that failed, refused,
    # were late, or say what they did; the state changes all the same. If the service was in the background already,
    # nothing is done, unless a listener failed when it came there: then didEnterBackground is delivered again. A client
    # that disconnects withdraws its request, if that has not begun. 'reason' has 1 to 200 bytes, and is shown wherever
    # the pause is; the first counts if requests were merged.
    method Pause(reason: ?string) -> (state: string, reports: []Report)

    # Continue the service. The reply comes when it is active, as for Pause.
    method Resume() -> (state: string, reports: []Report)

    # Make the service inactive for a short time, until Resume. The reply is as for Pause.
    method Interrupt() -> (state: string, reports: []Report)

    # Delay pause, sleep and stop as long as the connection is open, or until 'timeoutUsec' has passed. Needs 'more'.
    # The first reply says that the service is held. When something begins to wait, another reply names it in 'waiting'.
    # When the machine sleeps before the hold has ended, another reply has 'overriddenBy', which is 'sleep'; the hold
    # goes on. When the hold ends by itself, the last reply has 'held' false and the reason. A stop waits within its own
    # deadline, and a second stop does not wait. 'reason' has at most 1024 bytes.
    method Hold(reason: string, timeoutUsec: ?int) -> (
      held: bool,
      waiting: ?string,
      overriddenBy: ?string,
      reason: ?string
    )

    # The clients that hold the service.
    method ListHolds() -> (holds: []Holder)

    # Become a listener as long as the connection is open. Needs 'more'. Each reply has a notification and a token, and
    # is to be answered with Answer on another connection. The service continues without the answer after
    # 'deadlineUsec', by default ListenerTimeout= of its configuration. 'follows' names listeners that are called before
    # this one for arriving notifications, and after it for leaving ones. 'actions' are offered to PerformAction. With
    # 'confirm' a first reply without notification confirms that the listener is attached. With 'state' the first reply
    # has the state instead, and so has another reply when a notification changes it. A program that disconnects or does
    # not read is detached, and what it has not answered counts as failed. 'health' and 'reason' are those of
    # ReportHealth from the beginning. 'names', 'follows' and 'actions' are at most 256 together, in 4096 bytes. 'key'
    # tells the program of an application which command to run; without it there is none.
    method Attach(
      listener: string,
      names: []string,
      follows: ?[]string,
      deadlineUsec: ?int,
      actions: ?[]Action,
      confirm: ?bool,
      state: ?bool,
      health: ?string,
      reason: ?string
    ) -> (token: ?string, key: ?string, notification: ?Notification, state: ?State)

    # Answer for an attached listener. 'outcome' is completed, newData, noData, handled, declined, refused or failed;
    # with 'refused' the listener refuses a launch or a new configuration. 'reason' goes with refused and failed. 'work'
    # says what the listener did, in at most 512 bytes, and 'details' says the same for programs.
    method Answer(token: string, outcome: string, reason: ?string, work: ?string, details: ?object) -> ()

    # Report progress of an answer: a stop then waits for it up to its deadline, and systemd is asked to extend the stop
    # timeout. The next report must come within 'nextWithinUsec', by default 5 s. 'text' is shown by systemctl status.
    method Progress(token: string, nextWithinUsec: ?int, text: ?string) -> ()

    # Report the health of the attached listener of this process: healthy, or degraded or unknown for a reason. It is
    # shown with the listener until the next report, and the service goes on.
    method ReportHealth(listener: string, health: string, reason: ?string) -> ()

    # The actions that listeners offer.
    method ListActions() -> (actions: []Action)

    # Perform an action. The reply comes when the listeners that offer it have answered, and with 'more' also when they
    # report progress, as for Post.
    method PerformAction(id: string, userInfo: ?object) -> (sequence: int, result: string, reports: []Report)

    # Have a URL opened by the first listener that accepts it. 'handledBy' names it, and is absent if none did. With
    # 'toAll' every listener is asked, and 'reports' has what each of them did.
    method OpenURL(url: string, toAll: ?bool) -> (sequence: int, handledBy: ?string, reports: []Report)

    # Reload the configuration. The reply comes when it is in effect or was refused. A client that disconnects withdraws
    # its request, if that has not begun. 'reports' has the listeners that were late or say what they did.
    # With 'dryRun' the listeners only check whether they would accept it, and nothing changes; 'reports' then has what
    # each of them answered.
    method Reload(dryRun: ?bool) -> (reports: ?[]Report)

    # The listeners in the order of arriving notifications.
    method ListListeners() -> (listeners: []Listener)

    # The metrics of the service and of its program in the text format of OpenMetrics 1.0.
    method GetOpenMetrics() -> (text: string)

    # What each signal does.
    method ListSignals() -> (signals: []Signal)

    # What a signal would do now. 'action' is as for ListSignals, or 'none'; 'effect' is a line for the operator.
    # 'longestUsec' is how long it takes if every listener uses its full deadline, and 'limitUsec' the time for all
    # together; 'fits' says whether 'longestUsec' is within it. 'unitSetting' and 'unitTimeoutUsec' are the unit's
    # timeout that the limit comes from, if it is known; without 'unitTimeoutUsec' the unit has no limit.
    method Explain(signal: string) -> (
      signal: string,
      number: int,
      action: string,
      effect: string,
      state: string,
      tasks: []PlannedTask,
      steps: []PlannedStep,
      longestUsec: int,
      limitUsec: ?int,
      unitSetting: ?string,
      unitTimeoutUsec: ?int,
      fits: bool
    )
    """

/// The errors of `io.belfry.Lifecycle`.
nonisolated let lifecycleInterfaceErrors = """
    # There is no such signal.
    error InvalidSignal(signal: string, reason: string)

    # The new configuration was refused and the old one stays. Each reason is a line of text, which begins with
    # the name of the listener if one has refused.
    error ReloadRefused(reasons: []string)

    # The new configuration was accepted, but listeners failed or were late when they applied it: 'reports' has them, as
    # for Pause. The service has the old one again. Whether these listeners have the new one is not known.
    error ReloadFailed(reports: []Report)

    # The service is stopping.
    error Stopping()

    # The name is not valid, or clients may not post it, or not simulate it.
    error InvalidName(name: string, reason: ?string)

    # No listener offers this action.
    error NoSuchAction(id: string)

    # There is already a listener of this name.
    error ListenerExists(listener: string)

    # This process has not attached a listener of this name.
    error NotAttached(listener: string)

    # Listeners would follow each other in a cycle.
    error InvalidOrder(reason: string)

    # No notification with this token waits for an answer: it was answered, its deadline has passed, or there was none.
    error UnknownToken(token: string)

    # The program is detached, because it did not read.
    error Detached(reason: string)

    # Not all notifications after the given number are available; all from number 'oldest' on are.
    error NotRetained(oldest: int)

    # The subscriber did not read in time: so many notifications, of any name, have come from the first that it
    # missed on.
    error Overrun(dropped: int)
    """

/// The description of `io.belfry.Lifecycle`, which `varlinkctl introspect` shows.
package nonisolated let lifecycleInterfaceText = """
    # The lifecycle of a service: its state, its notifications, and ways to control it.
    interface io.belfry.Lifecycle

    \(lifecycleInterfaceTypes)

    \(lifecycleInterfaceMethods)

    \(lifecycleInterfaceErrors)
    """
