// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// What the methods of `io.belfry.Lifecycle` take and answer.
nonisolated let lifecycleInterfaceTypes = """
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
      # completed, newData, noData, handled, declined, refused, failed, overran or late
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
      # stop, stopNow, reload, pause, resume, interrupt, control, ignore, or the name of the notification it posts
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
    """
