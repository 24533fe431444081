// SPDX-License-Identifier: Apache-2.0
// Belfry: lifecycle notifications for Linux services.

/// The description of `io.belfry.Fleet`, which `varlinkctl introspect` shows.
nonisolated let fleetInterfaceText = """
    # The hosts of a fleet: their states and notifications, and ways to control them. Anyone may call List, Watch and History. The
    # rest needs root, the user of the service, or the group belfry. 'hosts' is a pattern for the names of hosts, as in
    # fnmatch(3), of at most 256 bytes; without it all hosts are meant.
    interface io.belfry.Fleet

    # A host, as far as it is known.
    type Host (
      name: string,
      # notRunning, inactive, active, background, suspended: the state of its service. stopped or asleep: it left in order.
      # dead: its connection to the broker broke. unknown: its last report does not hold any more, or there is no connection to
      # the broker.
      state: string,
      # Since when it is in this state, in microseconds of Unix time; absent while that is not known
      sinceUsec: ?int,
      # How long ago it last reported; only while it is unknown
      ageUsec: ?int,
      # The version of its service
      version: ?string,
      # Its boot, and the number of its last notification in it
      bootId: ?string,
      sequence: ?int
    )

    # All hosts that were ever seen, by name. 'isCurrent' is false while there is no connection to the broker: every host is then
    # unknown.
    method List() -> (hosts: []Host, isCurrent: bool)

    # The hosts first, then each change of a host and each new notification. Needs 'more'. With 'names' only notifications of
    # these names are sent, at most 256. A notification comes with the host that it is from. The notifications of a host come in
    # order, each once. 'note' is a line for the operator: about 'host' if it has one, otherwise about the broker. When the connection
    # to the broker is lost all hosts come again, as unknown.
    method Watch(hosts: ?string, names: ?[]string) -> (host: ?Host, notification: ?object, note: ?string)

    # Past notifications of the present boot of the hosts, oldest first for each host. Needs 'more'. With 'after' only those after
    # that number. The last reply of a host has its outcome: done, failed or refused with a reason, timeout if it took
    # longer than 'timeoutUsec' (by default 30 s, at most 1 h), or away if it is not connected. Of each
    # user four calls run at a time.
    method History(hosts: ?string, after: ?int, timeoutUsec: ?int) -> (
      host: string,
      notification: ?object,
      outcome: ?string,
      reason: ?string
    )

    # Send a command to the hosts: pause, resume, reload, or post with the name of a notification and its user info, which
    # have at most 64 KiB. Needs 'more'. There is one reply for each host, as it answers. A host that has a new connection gets the
    # command again, and does it only once. 'outcome' is done, failed, refused (the host does not accept it), late (it came after
    # the deadline), unknown (the host cannot say), timeout (no answer within 'timeoutUsec', by default 30 s, at most
    # 1 h), or away (the same, and the host is not connected). 'result' is what its service has replied.
    method Send(
      command: string,
      name: ?string,
      userInfo: ?object,
      hosts: ?string,
      timeoutUsec: ?int
    ) -> (host: string, outcome: string, reason: ?string, result: ?object)

    # Send pause, reload or post to one host after the other, by name. Needs 'more'. A host that is not active is away, for
    # whatever reason. The next host gets the command while it is active, and fewer than 'away' hosts are away. A paused host is
    # resumed after 'pauseUsec' (by default at once). The next host follows when this one has answered without a
    # listener that failed, was active for 'healthyUsec' (by default 10 s) without interruption, and then all its listeners are
    # healthy and the last call of none has failed. A host has 'timeoutUsec' (by default 5 min, at most 1 h) to
    # answer, to be active for so long, and to wait for others.
    # Replies tell the steps of a host: waiting ('reason' says for what), sent, paused, resuming (with 'reason' if it is because the
    # roll ends), answered, healthy, or failed if it could not be resumed. The last reply is 'finished'.
    # The roll stops with the error RollStopped at the first host that fails or does not become healthy, when too many
    # hosts are away together with the one under way, when the connection to the broker is lost, when the caller
    # disconnects, and when the service is restarted. A host that is paused is resumed first, or as soon as there
    # is a connection to the broker. Until Continue or Cancel there can be no other roll.
    method Roll(
      command: string,
      name: ?string,
      userInfo: ?object,
      hosts: ?string,
      away: int,
      healthyUsec: ?int,
      timeoutUsec: ?int,
      pauseUsec: ?int
    ) -> (host: ?string, step: string, reason: ?string)

    # Go on with the roll that stopped, with the host at which it stopped. Needs 'more'. The replies are those of Roll.
    method Continue() -> (host: ?string, step: string, reason: ?string)

    # End the roll that is under way or has stopped. The reply comes when a paused host was resumed, or could not be.
    method Cancel() -> ()

    # This host does not follow the others: View=yes in the section [Fleet] of /etc/belfry/fleet.conf is missing.
    error NoView()

    # There is no connection to the broker.
    error NoBroker(reason: string)

    # No host matches.
    error NoSuchHosts(hosts: string)

    # The roll has stopped, or was cancelled.
    error RollStopped(host: ?string, reason: string)

    # There is a roll already.
    error RollBusy(reason: string)

    # There is no roll.
    error NothingToContinue()

    # The client did not read in time, and gets no further replies.
    error Overrun()
    """
