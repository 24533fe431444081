# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What each subscriber of a service must see during one boot, whatever happens to the service meanwhile.

`Model` has what is true for all subscribers: a number belongs to one notification, which is the same for all of them, and
every accepted post has one number. `View` has what one subscriber must see: all of them, or all with its names, once and in
order, also over several connections. Both raise `Fault`. Neither does any I/O.
"""

import json
from collections import Counter

from fault import Fault

POST = "org.example.soak"
RING = "org.example.doorbell"
OVERRUN = "io.belfry.Lifecycle.Overrun"
NOT_RETAINED = "io.belfry.Lifecycle.NotRetained"
# ReplayMax= is 8192 by default, and ReplaySize= has room for at least so many: a post has 1.8 KB on average (soak.py).
RETAINED = 1024
STATES = {"inactive", "active", "background"}
# The states before and after each change of state, as in docs/notifications.md.
CHANGES = {
    "willFinishLaunching": {("notRunning", "inactive")},
    "didFinishLaunching": {("inactive", "inactive")},
    "didBecomeActive": {("inactive", "active")},
    "willResignActive": {("active", "inactive")},
    # A pause in which a listener failed is repeated.
    "didEnterBackground": {("inactive", "background"), ("background", "background")},
    "willEnterForeground": {("background", "inactive")},
    "willTerminate": {(state, "notRunning") for state in STATES},
    # After a SIGCONT nobody knows whether the service was stopped.
    "didResume": {("suspended", state) for state in STATES} | {("active", "active")},
}


class Model:
    """What all subscribers have seen so far, and what the service has accepted."""

    def __init__(self, retained: int):
        # Nobody may get an Overrun who is less behind.
        self.retained = retained
        self.content: dict[int, int] = {}
        self.names: dict[int, str] = {}
        self.numbers: dict[tuple[str, int], int] = {}
        # The last number of each name.
        self.latest: Counter[str] = Counter()
        self.accepted: dict[int, int] = {}
        self.checks: Counter[str] = Counter()

    def accept(self, post: int, number: int) -> None:
        """The service has replied that a post has this number."""
        self.accepted[number] = post
        self._assign(POST, post, number)

    def see(self, notification: dict) -> None:
        number, name = notification["sequence"], notification["name"]
        content = hash(json.dumps(notification))
        if self.content.setdefault(number, content) != content:
            raise Fault(f"two subscribers saw different notifications {number}: {notification}")
        if number in self.names:
            return
        self.names[number] = name
        self.latest[name] = max(self.latest[name], number)
        self.checks["notifications"] += 1
        if name == POST:
            self._assign(POST, notification["userInfo"]["post"], number)
        elif name == RING:
            self._assign(RING, notification["origin"]["value"], number)
        states = (notification["previousState"], notification["state"])
        if name in CHANGES:
            legal = states in CHANGES[name]
        else:
            legal = states[0] == states[1]
        if not legal:
            raise Fault(f"illegal change of state: {notification}")

    def forget(self, numbers: range) -> None:
        """Nobody needs to have seen these posts: a stop ended the connections of those who had not read them yet."""
        for number in numbers:
            self.accepted.pop(number, None)

    def has_seen(self, name: str, value: int) -> bool:
        return (name, value) in self.numbers

    def check(self, last: int) -> None:
        """Every post that was accepted with a number up to `last` was seen."""
        for number in sorted(number for number in self.accepted if number <= last):
            post = self.accepted.pop(number)
            if self.names.get(number) != POST:
                raise Fault(f"post {post} was accepted as {number}, which was {self.names.get(number)}")
            self.checks["accepted posts"] += 1

    def _assign(self, name: str, value: int, number: int) -> None:
        if self.numbers.setdefault((name, value), number) != number:
            raise Fault(f"{name} {value} has the numbers {self.numbers[name, value]} and {number}")


class View:
    """What one subscriber sees, over all its connections."""

    def __init__(self, model: Model, names: set[str] | None = None, lags: bool = False):
        self.model = model
        self.names = names
        # Whether it may need more than the service has in memory.
        self.lags = lags
        # Whether the service was stopped since the last state. systemd 252 then drops what the service retained.
        self.is_after_stop = False
        # Of the last notification that it saw or, before the first one, of the state.
        self.last: int | None = None
        self.state: str | None = None
        # What it saw since the last check, and what it could not get; both only with names.
        self.seen: list[int] = []
        self.checked = 0
        self.gaps: list[range] = []

    def begin(self, last: int) -> None:
        """The state came first, with the number of the last notification before it."""
        self.is_after_stop = False
        if self.last is None:
            self.last = self.checked = last
        elif last < self.last:
            raise Fault(f"the state has number {last} after notification {self.last}")

    def see(self, notification: dict) -> None:
        number, name = notification["sequence"], notification["name"]
        if self.names is None and number != self.last + 1:
            raise Fault(f"notification {number} came after {self.last}: {notification}")
        if self.names is not None and (number <= self.last or name not in self.names):
            raise Fault(f"notification {number} {name} came after {self.last} to a subscriber to {self.names}")
        self.model.see(notification)
        self.last = number
        if self.names is not None:
            self.seen.append(number)
        elif name in CHANGES:
            self._change(notification)

    def overrun(self, dropped: int) -> None:
        """The subscriber was told that it was too slow. What it missed is not retained either."""
        if dropped < self.model.retained:
            raise Fault(f"an Overrun at {self.last} though only {dropped} notifications were missed")
        self.model.checks["overruns"] += 1

    def not_retained(self, oldest: int) -> None:
        """The service no longer has what comes after `last`, but everything from `oldest` on."""
        # The last number of a subscriber with names is old when nothing with these names came.
        may_lack = self.lags or self.is_after_stop or self.names is not None
        if oldest <= self.last + 1 or not may_lack:
            raise Fault(f"{self.last + 1} to {oldest - 1} are not retained for a subscriber that is not far behind")
        self.model.checks["not retained"] += 1
        gap = range(self.last + 1, oldest)
        self.gaps.append(gap)
        if self.is_after_stop:
            self.model.forget(gap)
        self.last, self.state, self.is_after_stop = oldest - 1, None, False

    def check(self, last: int) -> None:
        """It has seen all that it must have seen up to `last`."""
        if self.names is None:
            if self.last < last:
                raise Fault(f"a subscriber has seen up to {self.last} of {last}")
        else:
            numbers = [n for n in range(self.checked + 1, last + 1) if self.model.names.get(n) in self.names]
            owed = [n for n in numbers if not any(n in gap for gap in self.gaps)]
            if owed != [n for n in self.seen if n <= last]:
                raise Fault(f"a subscriber to {self.names} saw {self.seen} up to {last}, not {owed}")
            self.seen = [n for n in self.seen if n > last]
        self.checked = max(self.checked, last)
        self.model.checks["views"] += 1

    def _change(self, notification: dict) -> None:
        """The states form a chain, which a launch begins, and which a suspension interrupts."""
        name, before = notification["name"], notification["previousState"]
        if self.state not in (None, before) and name not in ("willFinishLaunching", "didResume"):
            raise Fault(f"the state was {self.state} before {notification}")
        self.state = notification["state"]
