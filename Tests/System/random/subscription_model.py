# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the subscribers of a service must get, by docs/socket.md. Raises `Fault`. Does no I/O.

`History` has all notifications of the service, `Memory` what of them the service surely retains and surely does not, and `View`
what one subscription must see.
"""

from bisect import bisect_right
from collections import defaultdict
from dataclasses import dataclass

from fault import Fault

# There is room for so many notifications whatever ReplayMax= is.
ROOM = 512
# Bytes of a notification besides what fills it, and those that the service may take for its own use.
LEAST, MOST = 150, 1000


@dataclass(frozen=True)
class Entry:
    """A notification. A post has a mark of its own, and bytes that fill it."""

    name: str
    mark: int | None = None
    size: int = 0


class Memory:
    """The past notifications in memory, where `size` is ReplaySize= and `most` is ReplayMax=.

    How many bytes a notification takes there is not told, so that there are some of which it is not known whether they are
    retained."""

    def __init__(self, size: int, most: int):
        self.size, self.most = size, most
        self.least_most = most
        # The number of the last notification, and bytes up to each one: no fewer, and no more than these.
        self.last = 0
        self.fewest, self.utmost = [0], [0]
        self.largest = 0
        # Notifications up to the first number may be gone because of ReplayMax=, those up to the second are gone.
        self.passed = self.gone = 0
        # An `oldest` of a reply, and the last number at that time.
        self.told = (1, 0)

    def is_long(self, entry: Entry) -> bool:
        """Whether it takes more than half of the memory. No size of a test is near to that."""
        return entry.size + MOST / 2 > self.size / 2

    def append(self, entry: Entry) -> None:
        self.last += 1
        if self.is_long(entry):
            self.gone = self.last
        else:
            self.largest = max(self.largest, entry.size + MOST)
        self.fewest.append(self.fewest[-1] + entry.size + LEAST)
        self.utmost.append(self.utmost[-1] + entry.size + MOST)
        self.passed = max(self.passed, self.last - self.most)

    def set_most(self, most: int) -> None:
        self.most = most
        self.least_most = min(self.least_most, most)
        self.passed = max(self.passed, self.last - most)

    def has_room(self, first: int, last: int) -> bool:
        """Whether nothing can have displaced the first of these notifications when the last one came."""
        bytes_are_few = self.utmost[last] - self.utmost[first - 1] + self.largest <= self.size
        return first > self.gone and bytes_are_few and last - first < max(ROOM, self.least_most)

    def surely_has(self, number: int) -> bool:
        """Whether a client that asks for this and the following ones gets them."""
        if self.told[1] == self.last and number >= self.told[0]:
            return True
        return number > self.passed and self.has_room(number, self.last)

    def surely_lacks(self, number: int) -> bool:
        is_displaced = self.fewest[self.last] - self.fewest[number - 1] > self.size
        return number <= max(self.gone, self.last - self.most) or is_displaced


class History:
    """The notifications of a service since it was started first, the first of which has number 1."""

    def __init__(self, memory: Memory):
        self.entries: list[Entry] = []
        self.numbers: defaultdict[str, list[int]] = defaultdict(list)
        self.memory = memory

    @property
    def last(self) -> int:
        return len(self.entries)

    def append(self, *entries: Entry) -> None:
        for entry in entries:
            self.entries.append(entry)
            self.numbers[entry.name].append(self.last)
            self.memory.append(entry)

    def next(self, after: int, names: frozenset[str] | None) -> int | None:
        """The number of the next notification with one of these names, if there is one."""
        if names is None:
            return after + 1 if after < self.last else None
        lists = [self.numbers[name] for name in names]
        return min((found[at] for found in lists if (at := bisect_right(found, after)) < len(found)), default=None)


class View:
    """One subscription to some names, or to all."""

    def __init__(self, history: History, names: frozenset[str] | None, after: int | None):
        self.history, self.names, self.after = history, names, after
        # The last number up to which it has all that it asked for; None before the state.
        self.at: int | None = None
        # Since when it was asked for: the state may have any number from then on.
        self.asked = history.last

    def __str__(self) -> str:
        return f"a subscriber to {'everything' if self.names is None else sorted(self.names)} after {self.at}"

    def first(self, last: int) -> int:
        """The first number that it asked for, if `last` was the last one then."""
        return last + 1 if self.after is None else min(max(self.after, 0), last) + 1

    def begin(self, state: dict) -> None:
        """The state came first."""
        last, memory = state["sequence"], self.history.memory
        if not self.asked <= last <= self.history.last:
            raise Fault(f"the state has number {last}, not {self.asked} to {self.history.last}")
        first = self.first(last)
        if first <= self.asked and memory.surely_lacks(first) and last == memory.last:
            raise Fault(f"a subscription from {first} on was accepted at {last}, though memory cannot have it")
        self.at = first - 1

    def refuse(self, oldest: int) -> None:
        """NotRetained came instead of the state."""
        last, memory = self.history.last, self.history.memory
        first = self.first(last)
        if first > last or memory.surely_has(first) or not first < oldest <= last + 1:
            raise Fault(f"a subscription from {first} on got NotRetained with oldest {oldest} at {last}")
        if self.asked == last:
            if memory.surely_has(oldest - 1) or oldest <= last and memory.surely_lacks(oldest):
                raise Fault(f"NotRetained at {last} has oldest {oldest}")
            memory.told = (oldest, last)

    def owed(self) -> int | None:
        """The number of what it gets next."""
        return self.history.next(self.at, self.names)

    def see(self, notification: dict) -> None:
        number = notification["sequence"]
        if number != (owed := self.owed()):
            raise Fault(f"{self} got {number} {notification['name']}, not {owed}")
        entry = self.history.entries[number - 1]
        info = notification["userInfo"]
        got = Entry(notification["name"], info.get("mark"), len(info.get("fill", "")))
        if got != entry:
            raise Fault(f"{self} got {got} as {number}, which is {entry}")
        self.at = number

    def overrun(self, dropped: int) -> None:
        """The service told it that its next notification is gone, and how many have come from that one on."""
        owed, memory = self.owed(), self.history.memory
        if owed is None:
            raise Fault(f"{self} got Overrun of {dropped}, though nothing that it asked for has come")
        end = owed + dropped - 1
        if not owed <= end <= self.history.last or memory.has_room(owed, end):
            raise Fault(f"{self} got Overrun of {dropped} at {self.history.last}, and was owed {owed}")
        memory.gone = max(memory.gone, owed)
