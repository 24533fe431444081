// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The description of `io.belfry.Lifecycle`, as clients read it with `varlinkctl introspect`.
package nonisolated let lifecycleInterfaceText = """
    # The life of a service: where it is, what happens to it, and who has a say.
    interface io.belfry.Lifecycle

    # Where the service is, and since when.
    type State (
      # notRunning, inactive, active, background or suspended
      state: string,
      # The number of the last notification; 0 before the first
      sequence: int,
      # How long the service has been running, by CLOCK_MONOTONIC
      uptimeUsec: int,
      # The kernel's id of this boot
      bootId: string,
      # The id of this run of the unit; absent outside of systemd
      invocationId: ?string,
      # The main process
      pid: int,
      # The name of the service
      service: string,
      # The version of Belfry in it
      version: string,
      # How many subscribers there are
      subscribers: int
    )

    # Who or what caused a notification.
    type Origin (
      # service, signal or socket
      kind: string,
      # The name of the signal
      signal: ?string,
      # The process that sent the signal, or that is connected to the socket; 0 when it is out of sight
      pid: ?int,
      # Its user
      uid: ?int,
      # Its systemd unit, where it could be found
      unit: ?string,
      # The name of its command, where it could be found
      command: ?string,
      # For a signal without a process: kernel, or outside for one of another pid namespace
      sender: ?string,
      # The integer that came with the signal
      value: ?int
    )

    # One thing that happened.
    type Notification (
      # One more than the number of the notification before it; never given twice within a boot
      sequence: int,
      name: string,
      # The state it leads to
      state: string,
      # The state before it
      previousState: string,
      # When, by CLOCK_REALTIME
      realtimeUsec: int,
      # When, by CLOCK_MONOTONIC
      monotonicUsec: int,
      bootId: string,
      origin: Origin,
      userInfo: object
    )

    # What one listener made of a notification.
    type Report (
      listener: string,
      # completed, newData, noData, handled, declined, refused, failed or overran
      outcome: string,
      reason: ?string,
      durationUsec: int
    )

    # A listener, and how it has done so far.
    type Listener (
      name: string,
      # The notifications it answers
      interests: []string,
      # Its place in the order of arriving notifications, from 0
      order: int,
      deadlineUsec: int,
      # healthy, unhealthy or lost, by its own account
      health: ?string,
      # Why it is not healthy
      healthReason: ?string,
      calls: int,
      failures: int,
      lastOutcome: ?string,
      lastDurationUsec: ?int,
      longestDurationUsec: ?int
    )

    # What a signal does.
    type Signal (
      # SIGTERM, SIGRTMIN+5
      signal: string,
      number: int,
      # stop, stopNow, reload, pause, resume, interrupt, control, or the name of the notification it posts
      action: string
    )

    # A listener that would be told, and how long it may take.
    type PlannedListener (
      name: string,
      # Groups are told one after the other, the members of one together
      group: int,
      # How long its answer may take; absent for one that answers at once
      deadlineUsec: ?int,
      # What of it falls to it at least, when everybody before it takes his whole share too
      shareUsec: ?int,
      # Whether it allows a dry run
      rehearses: bool
    )

    # A notification that would be delivered.
    type PlannedStep (name: string, previousState: string, state: string, listeners: []PlannedListener)

    # A background task that would be waited for.
    type PlannedTask (name: string, remainingUsec: int)

    # What the dry runs of a notification came to.
    type RehearsedStep (
      name: string,
      reports: []Report,
      # The listeners that would be told and allow no dry run
      skipped: []string
    )

    # A client that delays pause, sleep and stop.
    type Holder (
      reason: string,
      # The process that holds, its user and, where it could be found, its systemd unit
      pid: int,
      uid: int,
      unit: ?string,
      # The time until the hold ends by itself; absent without a limit
      remainingUsec: ?int
    )

    # Something that a listener offers to do when it is asked by name.
    type Action (
      id: string,
      # What it does, in a line for people
      title: string
    )

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
    # only those; with 'after' first those that came after that number and are still kept.
    method Subscribe(names: ?[]string, after: ?int) -> (state: ?State, notification: ?Notification)

    # Post a notification. With 'wait' the reply comes when all listeners have answered, and says how. 'result' is
    # 'posted' without 'wait', else 'newData' if any has new data, else 'failed' if any failed, else 'noData'.
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
    # second stop for nobody.
    method Hold(reason: string, timeoutUsec: ?int) -> (held: bool, waiting: ?string)

    # Who holds the service.
    method ListHolds() -> (holds: []Holder)

    # Become a listener, for as long as the connection lives. Needs 'more'. Each reply is a notification that is to be
    # answered, with its token, by Answer on another connection; the service goes on without the answer after
    # 'deadlineUsec', or ListenerTimeout= of its configuration without it. 'follows' names listeners that are told before
    # this one on the way up, and after it on the way down. 'actions' are offered to PerformAction. With 'confirm' the
    # first reply has neither and says that the listener is in its place. Whoever goes away, or does not read, is no
    # listener any more: what it has not answered counts as failed.
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
    # it would not succeed.
    method Rehearse(signal: string) -> (
      signal: string,
      number: int,
      action: string,
      effect: string,
      state: string,
      steps: []RehearsedStep,
      passed: bool,
      reasons: []string
    )

    # There is no such signal.
    error InvalidSignal(signal: string, reason: string)

    # The new configuration was refused and the old one stays; each reason is a line for the operator.
    error ReloadRefused(reasons: []string)

    # The service is stopping, and what was asked will not be done.
    error Stopping()

    # The name is none, or belongs to a transition, which has a method of its own.
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

    # What came after the given number is not kept any more; 'oldest' is the first that is.
    error NotRetained(oldest: int)

    # The subscriber did not read in time and this many notifications were dropped; it may subscribe again with 'after'.
    error Overrun(dropped: int)
    """
