// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What clients can ask of `io.belfry.Lifecycle`.
nonisolated let lifecycleInterfaceMethods = """
    # Where the service is, and how it came there.
    method GetState() -> (
      state: string,
      sequence: int,
      uptimeUsec: int,
      bootId: string,
      invocationId: ?string,
      pid: int,
      service: string,
      version: string,
      subscribers: int,
      # How and why it was started, as didFinishLaunching tells it
      launch: ?object,
      # Who has paused this run, or else who ended the one before it, and why
      lastWord: ?object
    )

    # Follow what happens. Needs 'more'. The first reply carries the state, each later one a notification. With 'names'
    # only those, at most 256 in 4096 bytes; with 'after' first those that came after that number, from memory or from the
    # journal. When the 'sequence' of the state is lower than 'after', the service has begun to count anew.
    method Subscribe(names: ?[]string, after: ?int) -> (state: ?State, notification: ?Notification)

    # Post a notification: a name of your own, flushRequested, statusRequested or performFetch. With 'wait' the reply comes
    # when all listeners have answered, and says how. 'result' is 'posted' without 'wait', else 'newData' if any has new data,
    # else 'failed' if any failed, else 'noData'. A call waits while 256 posts of its user wait for listeners.
    method Post(name: string, userInfo: ?object, wait: ?bool) -> (sequence: int, result: string, reports: []Report)

    # Bring the service to the background. The reply comes when it is there.
    method Pause() -> (state: string)

    # Bring the service back. The reply comes when it is active.
    method Resume() -> (state: string)

    # Make the service inactive for a short time, until Resume.
    method Interrupt() -> (state: string)

    # Delay pause, sleep and stop for as long as the connection lives, or until 'timeoutUsec' has passed. Needs 'more'. The
    # first reply says that the service is held. When a pause or a stop begins to wait, another one says so in 'waiting',
    # the last one comes with 'held' false when the time is up. A stop waits no longer than it has time itself, and a
    # second stop for nobody. 'reason' has at most 1024 bytes.
    method Hold(reason: string, timeoutUsec: ?int) -> (held: bool, waiting: ?string)

    # Who holds the service.
    method ListHolds() -> (holds: []Holder)

    # Become a listener, for as long as the connection lives. Needs 'more'. Each reply is a notification that is to be
    # answered, with its token, by Answer on another connection; the service goes on without the answer after
    # 'deadlineUsec', or ListenerTimeout= of its configuration without it. 'follows' names listeners that are told before
    # this one on the way up, and after it on the way down. 'actions' are offered to PerformAction. With 'confirm' the
    # first reply has neither and says that the listener is in its place. Whoever goes away, or does not read, is no
    # listener any more: what it has not answered counts as failed. 'names', 'follows' and 'actions' are at most 256
    # together, in 4096 bytes.
    method Attach(
      listener: string,
      names: []string,
      follows: ?[]string,
      deadlineUsec: ?int,
      actions: ?[]Action,
      confirm: ?bool
    ) -> (token: ?string, notification: ?Notification)

    # Answer for an attached listener. 'outcome' is completed, newData, noData, handled, declined, refused or failed; with
    # 'refused' the listener refuses a launch or a new configuration. 'reason' goes with refused and failed.
    method Answer(token: string, outcome: string, reason: ?string) -> ()

    # Say that the answer gets on: a stop then waits for it up to its deadline, and systemd is asked for the time. The next
    # word comes within 'nextWithinUsec', 5 s without it; 'text' says in a few words in systemctl status what was done.
    method Progress(token: string, nextWithinUsec: ?int, text: ?string) -> ()

    # The actions that listeners offer.
    method ListActions() -> (actions: []Action)

    # Have an action done. The reply comes when the listeners that offer it have answered.
    method PerformAction(id: string, userInfo: ?object) -> (sequence: int, result: string, reports: []Report)

    # Have a URL opened by the first listener that will; 'handledBy' names it, and is absent when none would.
    method OpenURL(url: string) -> (sequence: int, handledBy: ?string, reports: []Report)

    # Read the configuration anew. The reply comes when it holds, or when it was refused.
    method Reload() -> ()

    # The listeners in the order of arriving notifications.
    method ListListeners() -> (listeners: []Listener)

    # What each signal does.
    method ListSignals() -> (signals: []Signal)

    # What a signal would do now. 'action' is as for ListSignals, or 'none'; 'effect' is a line for the operator.
    # 'longestUsec' is how long it takes when everybody uses all his time, and 'limitUsec' the time for all together;
    # 'fits' is whether the one is within the other. 'unitSetting' and 'unitTimeoutUsec' are the unit's own time that
    # the limit comes from, where that is known; without the time there is no limit in the unit.
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

    # Rehearse what a signal would do now, with the listeners that allow a dry run. Nothing changes. 'reasons' are why
    # it would not succeed, and 'passed' is whether there are none. 'unasked' are the listeners that could not be asked, such
    # as attached programs: they may still refuse or fail. One rehearsal runs at a time; who asks for the same signal
    # meanwhile gets the result of the next one.
    method Rehearse(signal: string) -> (
      signal: string,
      number: int,
      action: string,
      effect: string,
      state: string,
      steps: []RehearsedStep,
      passed: bool,
      reasons: []string,
      unasked: []string
    )
    """

/// What `io.belfry.Lifecycle` answers to what cannot be done.
nonisolated let lifecycleInterfaceErrors = """
    # There is no such signal.
    error InvalidSignal(signal: string, reason: string)

    # The new configuration was refused and the old one stays; each reason is a line for the operator.
    error ReloadRefused(reasons: []string)

    # The service is stopping, and what was asked will not be done.
    error Stopping()

    # The name is none, or one that clients do not post: the service tells it, or it has a method of its own.
    error InvalidName(name: string)

    # No listener offers this action.
    error NoSuchAction(id: string)

    # There is a listener of this name already.
    error ListenerExists(listener: string)

    # Listeners would follow each other in a circle.
    error InvalidOrder(reason: string)

    # No question with this token waits for an answer: it was answered, its deadline has passed, or there was none.
    error UnknownToken(token: string)

    # The program is no listener any more, because it did not read.
    error Detached(reason: string)

    # Not all that came after the given number can be had any more; 'oldest' is the first from which on there is all.
    error NotRetained(oldest: int)

    # The subscriber did not read in time and this many notifications were dropped; it may subscribe again with 'after'.
    error Overrun(dropped: int)
    """

/// The description of `io.belfry.Lifecycle`, as clients read it with `varlinkctl introspect`.
package nonisolated let lifecycleInterfaceText = """
    # The life of a service: where it is, what happens to it, and who has a say.
    interface io.belfry.Lifecycle

    \(lifecycleInterfaceTypes)

    \(lifecycleInterfaceMethods)

    \(lifecycleInterfaceErrors)
    """
