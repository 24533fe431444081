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

    # Where the service is.
    method GetState() -> (
      state: string,
      sequence: int,
      uptimeUsec: int,
      bootId: string,
      invocationId: ?string,
      pid: int,
      service: string,
      version: string,
      subscribers: int
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

    # Read the configuration anew. The reply comes when it holds, or when it was refused.
    method Reload() -> ()

    # The listeners in the order of arriving notifications.
    method ListListeners() -> (listeners: []Listener)

    # What each signal does.
    method ListSignals() -> (signals: []Signal)

    # The new configuration was refused and the old one stays; each reason is a line for the operator.
    error ReloadRefused(reasons: []string)

    # The service is stopping, and what was asked will not be done.
    error Stopping()

    # The name is none, or belongs to a transition, which has a method of its own.
    error InvalidName(name: string)

    # What came after the given number is not kept any more; 'oldest' is the first that is.
    error NotRetained(oldest: int)

    # The subscriber did not read in time and this many notifications were dropped; it may subscribe again with 'after'.
    error Overrun(dropped: int)
    """
