# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Hours in the life of an installed service, by chance: signals, posts, subscribers, reloads, restarts, kill -9, memory
pressure, full disks, restarts of journald and jumps of the clock, against a model of what each subscriber must see.

    python3 Tests/System/random/soak.py [--seconds 3600] [--seed NUMBER] [--host machine|trixie]

It needs root and the release build. The seed decides what is done, and the machine when. A fault prints the last steps. In
the first and the last tenth of the time the process stays the same; after each its memory and descriptors are measured.
"""

import random
import sys
import time
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from select import select

sys.path.append(str(Path(__file__).parents[1] / "kit"))

from belfry_service import BelfryService
from fault import Fault
from host_run import run_on_host
from soak_clients import Follower, Poster
from soak_host import BAD, CONNECTIONS, DISKS, PATIENCE, Interruption, SoakHost
from soak_model import CHANGES, POST, RETAINED, RING, Model

# The notification that must follow a signal within a while, if the process does not end meanwhile.
CAUSED = {"USR1": "flushRequested", "USR2": "statusRequested", "PWR": "powerFailing", "HUP": "willReload"}
# By how much memory may differ between two measurements: the allocator keeps some of what it had in a burst.
GROWTH_KIB = 4096


class Soak:
    """One run on a host."""

    def __init__(self, belfry: BelfryService, seed: int):
        self.belfry, self.host = belfry, SoakHost(belfry)
        self.chance = random.Random(seed)
        self.model = Model(retained=RETAINED)
        self.events: Counter[str] = Counter()
        self.steps: deque[str] = deque(maxlen=60)
        self.steady = [Follower(self.model, names) for names in (None, None, {POST, "didBecomeActive"}, {RING, *CHANGES})]
        self.slow = Follower(self.model, lags=True)
        self.guests: list[Follower] = []
        self.poster = Poster(self.model)
        self.rings = 0
        # What must be seen unless the process ends before: queued signals, and names with the number that they come after.
        self.rung: list[int] = []
        self.owed: dict[str, int] = {}
        # The one under way, and all that have ended the process.
        self.interruption: Interruption | None = None
        self.endings: list[Interruption] = []
        self.pid = self.outer_pid = 0

    def run(self, seconds: float) -> list[str]:
        """Lives for this time; returns lines that sum up what was done and checked. A fault raises AssertionError."""
        begin = time.monotonic()
        try:
            self.host.set_up()
            self.identify()
            # Nobody is told of what came before the first subscription.
            self.wait_until(lambda: all(follower.since for follower in self.steady), "have subscribers")
            self.live(begin + seconds / 10, may_interrupt=False)
            before = self.measure()
            self.live(begin + seconds * 9 / 10, may_interrupt=True)
            self.check()
            self.live(begin + seconds, may_interrupt=False)
            after = self.measure()
            if after["descriptors"] > before["descriptors"]:
                # The ends of connections that were closed a moment ago may still be on their way.
                self.wait_until(lambda: self.belfry.footprint()["descriptors"] <= before["descriptors"], "close connections")
                after = self.belfry.footprint()
            limits = before | {"RssAnon": before["RssAnon"] + GROWTH_KIB}
            if any(after[what] > limit for what, limit in limits.items()):
                raise Fault(f"the service has grown from {before} to {after}")
        except (Fault, AssertionError, OSError, EOFError) as fault:
            raise AssertionError("\n".join([*self.steps, f"{type(fault).__name__}: {fault}"])) from fault
        finally:
            for follower in [*self.steady, self.slow, *self.guests]:
                follower.disconnect()
            self.host.tear_down()
        result = self.belfry.property("Result")
        assert result == "success", f"the last stop had the result {result}"
        return [
            "done: " + ", ".join(f"{n} {what}" for what, n in sorted((self.events + self.poster.counts).items())),
            "checked: " + ", ".join(f"{n} {what}" for what, n in sorted(self.model.checks.items())),
            f"at first {before}, at last {after}",
        ]

    def identify(self) -> None:
        self.pid, self.outer_pid = self.belfry.main_pid(), self.belfry.outer_pid()

    def live(self, until: float, may_interrupt: bool) -> None:
        next_check, next_interruption = time.monotonic() + 20, time.monotonic() + self.chance.uniform(0, 3)
        while (now := time.monotonic()) < until:
            self.rest(self.chance.choice([0, 0.02, 0.2]))
            if self.interruption is None and now > next_check:
                self.check()
                next_check = time.monotonic() + self.chance.uniform(5, 40)
            elif self.interruption is None and may_interrupt and now > next_interruption:
                self.interrupt()
                # Mostly short lives, and some that are long.
                next_interruption = time.monotonic() + 10 ** self.chance.uniform(-0.5, 2)
            else:
                self.step()
        self.wait_until(lambda: self.interruption is None, "come back")

    def rest(self, seconds: float) -> None:
        """Only reads for so long, and goes on with the interruption."""
        end = time.monotonic() + seconds
        while True:
            self.pump(max(0, min(end - time.monotonic(), 0.05)))
            self.advance()
            if time.monotonic() >= end:
                return

    def wait_until(self, question, what: str) -> None:
        deadline = time.monotonic() + PATIENCE
        while not question():
            self.rest(0.02)
            if time.monotonic() > deadline:
                raise Fault(f"the service did not {what} in {PATIENCE} s")

    def pump(self, seconds: float) -> None:
        """Waits at most so long until somebody has something to read, and reads it all."""
        linked = [f for f in [*self.steady, *self.guests] if f.link]
        select([f.link.socket for f in linked], [], [], seconds)
        now = time.monotonic()
        excused = any(now - ending.ended < 2 for ending in self.endings[-1:])
        if not self.poster.pump(excused) and not excused:
            raise Fault("the service closed the connection of the poster")
        for follower in [*linked, *([self.slow] if self.slow.link else [])]:
            since = follower.since
            if not follower.pump(now):
                self.disconnected(follower, since, now)
        for follower in [*self.steady, self.slow]:
            if follower.link is None and self.interruption is None:
                follower.connect(self.belfry.connect())
        self.guests = [guest for guest in self.guests if guest.link]

    def disconnected(self, follower: Follower, since: float | None, now: float) -> None:
        self.events["subscriptions ended"] += 1
        # A slow reader reads the end late, perhaps after the next interruption.
        begin = now - (600 if follower is self.slow else 2)
        causes = [ending for ending in self.endings if ending.ended > max(begin, follower.connected)]
        if not causes:
            raise Fault(f"the service closed a subscription to {follower.view.names} since {since}")

    def interrupt(self) -> None:
        self.interruption = Interruption(self.belfry, self.pid, self.chance)
        self.note(self.interruption.kind)
        if self.interruption.ends_process:
            self.endings.append(self.interruption)
            self.rung, self.owed = [], {}

    def advance(self) -> None:
        if self.interruption and self.interruption.advance():
            self.interruption.ended = time.monotonic()
            if self.interruption.stops:
                for follower in self.steady:
                    follower.view.is_after_stop = True
            self.interruption = None
            self.identify()

    def step(self) -> None:
        actions = {
            self.post: 40, self.send_signal: 20, self.ring: 10, self.guest: 8, self.read_slowly: 4, self.surprise: 4,
            self.reload: 2, self.fill_disk: 1,
        }  # fmt: skip
        self.chance.choices(list(actions), list(actions.values()))[0]()

    def note(self, what: str, detail: object = "") -> None:
        self.events[what] += 1
        self.steps.append(f"{time.monotonic():.2f} {what} {detail}")

    def expect(self, name: str | None) -> None:
        """Such a notification must be posted from now on, unless the process ends before."""
        if name and self.interruption is None:
            self.owed[name] = self.steady[0].view.last or 0

    def post(self) -> None:
        # While subscribers are away, no more than the service retains.
        count = self.chance.choice([1, 1, 2, 5, 20, *([] if self.interruption else [100])])
        if len(self.poster.outstanding) < 500:
            self.note("batches of posts", f"of {count} from {self.poster.next}")
            sizes = [self.chance.choice([0, 10, 100, 1000, 8000]) for _ in range(count)]
            with self.refused_after_a_stop():
                self.poster.post(self.belfry.connect, sizes)

    @contextmanager
    def refused_after_a_stop(self) -> Iterator[None]:
        """A stop removes the socket. A restart and a crash do not: clients wait for the next process."""
        try:
            yield
        except FileNotFoundError:
            if self.interruption is None or not self.interruption.stops:
                raise

    def send_signal(self) -> None:
        name = self.chance.choice(["USR1", "USR2", "PWR", "TSTP", "CONT", "CONT", "HUP"])
        by_systemd = self.interruption is not None or self.chance.random() < 0.3
        if self.interruption:
            self.interruption.is_signalled = True
        self.note("signals by systemctl" if by_systemd else "signals by kill", name)
        self.expect(CAUSED.get(name))
        self.host.signal(name, None if by_systemd else self.pid)

    def ring(self) -> None:
        """Queued signals with numbers, of which none may be lost."""
        if self.interruption is None or not self.interruption.ends_process:
            self.note("bursts of queued signals")
            for _ in range(self.chance.randrange(1, 20)):
                if self.host.ring(self.outer_pid, self.rings):
                    self.rung.append(self.rings)
                self.rings += 1

    def guest(self) -> None:
        """A subscriber comes, perhaps one that asks for the past, or goes."""
        last = self.steady[0].view.last
        if self.guests and self.chance.random() < 0.5:
            self.note("subscribers that go")
            self.guests.pop(self.chance.randrange(len(self.guests))).disconnect()
        elif len(self.guests) < 6 and last:
            guest = Follower(self.model, self.chance.choice([None, None, {POST}]), lags=True)
            if past := self.chance.choice([0, 0, 10, 500, 3000]):
                guest.view.begin(max(0, last - past))
            self.note("subscribers that come", f"and want {past}")
            with self.refused_after_a_stop():
                guest.connect(self.belfry.connect())
                self.guests.append(guest)

    def read_slowly(self) -> None:
        """One subscriber reads all, little or nothing each time; or it goes and resumes."""
        self.slow.budget = self.chance.choice([None, 4096, 64, 0])
        self.note("changes of the slow reader", self.slow.budget)
        if self.chance.random() < 0.2:
            self.slow.disconnect()

    def surprise(self) -> None:
        """Something happens on the host."""
        usec, zone = self.chance.randrange(10_000_000, 86_400_000_000), self.chance.choice(["Asia/Tokyo", "UTC"])
        happenings = [
            ("memory pressure", self.host.press),
            ("clock jumps", lambda: self.host.set_clock(usec)),
            ("clock jumps", lambda: self.host.set_clock(-usec)),
            ("sleeps", lambda: self.host.sleep(usec)),
            ("time zones", lambda: self.host.set_zone(zone)),
        ]
        self.note((happening := self.chance.choice(happenings))[0])
        self.expect(happening[1]())

    def reload(self) -> None:
        if self.interruption is None:
            bad = self.chance.choice([None, *BAD])
            self.note("refused reloads" if bad else "reloads", bad)
            if self.host.reload(self.chance.choice(CONNECTIONS), bad) == bool(bad):
                raise Fault(f"the reload was {'accepted' if bad else 'refused'}")

    def fill_disk(self) -> None:
        disk = self.chance.choice(list(DISKS))
        self.note("full disks" if self.host.fill(disk) else "freed disks", disk)

    def check(self) -> None:
        """Everybody who reads sees everything, as soon as nothing is under way."""
        self.note("checks")
        self.host.signal("CONT", self.pid)
        self.wait_until(lambda: not self.poster.outstanding, "answer all posts")
        rung = [n for n in self.rung if not self.model.has_seen(RING, n)]
        self.wait_until(lambda: all(self.model.has_seen(RING, n) for n in rung), f"deliver one of {rung}")
        for name, since in self.owed.items():
            self.wait_until(lambda name=name, since=since: self.model.latest[name] > since, f"post {name} after {since}")
        self.wait_until(lambda: self.steady[0].view.state == "active", "continue")
        self.model.checks.update({"queued signals": len(self.rung), "events with a notification": len(self.owed)})
        self.rung, self.owed = [], {}
        with self.belfry.connect() as client:
            last = client.call("GetState")["sequence"]
        self.wait_until(lambda: all(follower.is_at(last) for follower in self.steady), f"deliver {last}")
        self.model.check(last)
        for follower in self.steady:
            follower.view.check(last)

    def measure(self) -> dict[str, int]:
        """The resources of the service when all subscribers but the usual five have gone, and these have read everything."""
        while self.guests:
            self.guests.pop().disconnect()
        self.host.free_disks()
        self.check()
        self.slow.budget, last = None, self.steady[0].view.last
        self.wait_until(lambda: self.slow.is_at(last), f"deliver {last} to the slow reader")
        self.slow.view.check(last)
        self.slow.budget = 4096
        self.poster.close()
        # The memory and the listening socket.
        assert self.belfry.property("NFileDescriptorStore") == "2"
        self.belfry.wait_until_logged()
        if strange := self.host.strange_files():
            raise Fault(f"the service has left the files {strange}")
        return self.belfry.footprint()


if __name__ == "__main__":
    run_on_host(__doc__, lambda belfry, seconds, seed: Soak(belfry, seed).run(seconds))
