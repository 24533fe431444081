// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The types of `io.belfry.Lifecycle`.
nonisolated let lifecycleInterfaceTypes = """
    # The state of the service.
    type State (
      # notRunning, inactive, active, background or suspended
      state: string,
      # The number of the last notification; 0 before the first
      sequence: int,
      # Another one than before: the numbers have begun again; absent if that is not certain
      sequenceId: ?string,
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
      # The process that sent the signal, or that is connected to the socket; 0 if it is in another pid namespace
      pid: ?int,
      # Its user
      uid: ?int,
      # For root the user who has logged in and become root, if known
      loginUid: ?int,
      # Its systemd unit, if known
      unit: ?string,
      # The name of its command, if known
      command: ?string,
      # For a signal without a process: kernel, or outside for one of another pid namespace
      sender: ?string,
      # The integer that came with the signal
      value: ?int
    )

    # A transition that is under way.
    type Transition (
      # launch, pause, resume, interrupt, continued, reload, stop or another
      trigger: string,
      # Whether a reload only checks
      dryRun: ?bool,
      # Who caused it
      origin: Origin,
      # When it began, by CLOCK_REALTIME
      sinceUsec: ?int,
      # The listeners, or the background tasks and holds, that it waits for; at most 16
      waitingFor: []string
    )

    # A notification.
    type Notification (
      # One more than the number of the notification before it; never given twice within a boot
      sequence: int,
      name: string,
      # The state it leads to
      state: string,
      # The state before it
      previousState: string,
      bootId: string,
      origin: Origin,
      # The transition that it belongs to: launch, pause, resume, stop and others; absent for one that was posted
      trigger: ?string,
      # When, by CLOCK_REALTIME
      realtimeUsec: int,
      # When, by CLOCK_MONOTONIC
      monotonicUsec: int,
      userInfo: object
    )

    # How one listener handled a notification.
    type Report (
      listener: string,
      # The notification that it handled
      notification: ?string,
      # completed, newData, noData, handled, declined, refused, failed, overran or late; running for progress
      outcome: string,
      # Of a refusal or a failure, or what is done at the moment
      reason: ?string,
      durationUsec: int,
      # What the listener did, in its own words
      work: ?string,
      # The same for programs, also while it works
      details: ?object
    )

    # A listener and its record so far.
    type Listener (
      name: string,
      # The notifications it handles
      interests: []string,
      # Its place in the order of arriving notifications, from 0
      order: int,
      deadlineUsec: int,
      # healthy, unknown, degraded, unhealthy or lost, by its own account
      health: ?string,
      # Why it is not healthy
      healthReason: ?string,
      # When its program has last reported that it is healthy, by CLOCK_REALTIME
      healthyUsec: ?int,
      # What it is doing at present, in its own words
      activity: ?string,
      calls: int,
      failures: int,
      lastOutcome: ?string,
      # If the last call failed, was late or refused: the reason of a refusal or a failure, and the notification
      lastReason: ?string,
      lastNotification: ?string,
      lastDurationUsec: ?int,
      longestDurationUsec: ?int,
      # What it did, as it last said
      lastWork: ?string,
      # Calls that missed their deadline and have not ended since; of asynchronous answers of a library service only
      stillRunning: ?int
    )

    # What a signal does.
    type Signal (
      # SIGTERM, SIGRTMIN+5
      signal: string,
      number: int,
      # stop, stopNow, reload, pause, resume, interrupt, control, ignore, performAction:ID, or the name of the
      # notification it posts
      action: string
    )

    # A listener that would be called, and how long it may take.
    type PlannedListener (
      name: string,
      # Groups are called one after the other, the members of a group together
      group: int,
      # How long it may take; absent for a listener that answers at once
      deadlineUsec: ?int,
      # The least of it that it gets, if all listeners before it use their full shares
      shareUsec: ?int
    )

    # A notification that would be delivered.
    type PlannedStep (name: string, previousState: string, state: string, listeners: []PlannedListener)

    # A background task, and how long it would be waited for at most.
    type PlannedTask (name: string, remainingUsec: int)

    # A client that delays pause, sleep and stop.
    type Holder (
      reason: string,
      # The process, its user and, if known, its systemd unit
      pid: int,
      uid: int,
      unit: ?string,
      # How long it has held the service
      ageUsec: int,
      # The time until the hold ends by itself; absent without a limit
      remainingUsec: ?int
    )

    # Something that a listener offers to do by name.
    type Action (
      id: string,
      # A title for people
      title: string
    )
    """
