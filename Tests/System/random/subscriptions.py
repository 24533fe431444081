# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Clients with filters subscribe, disconnect, stall, read slowly and subscribe again, while others post, pause, reload, restart and
kill the service: each sees what it asked for, in order, each once (see subscription_model.py).

    python3 Tests/System/random/subscriptions.py [--examples 20000] [--seed NUMBER]

A fault prints the shortest steps that lead to it. Each example has a service of its own, without systemd (managed_service.py), so
that it ends the same way each time. It needs the release build, and no root.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kit"))

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from fault import Fault
from hostile_clients import call
from managed_service import ManagedService
from subscription_clients import Reader
from subscription_model import Entry, History, Memory

CONFIGURATION = """
[Logger]
Level=warning
Target=stderr
[Socket]
Group=root
ReplaySize={size}
ReplayMax={most}
"""
READERS = 4
POSTED = ["model.a", "model.b", "model.c"]
LAUNCH = ["willFinishLaunching", "didFinishLaunching"]
# Docs/notifications.md: the state before and the method, the notifications, and the state after.
CHANGES = {
    ("active", "Pause"): (["willResignActive", "didEnterBackground"], "background"),
    ("inactive", "Pause"): (["didEnterBackground"], "background"),
    ("background", "Resume"): (["willEnterForeground", "didBecomeActive"], "active"),
    ("inactive", "Resume"): (["didBecomeActive"], "active"),
    ("active", "Interrupt"): (["willResignActive"], "inactive"),
}
STOPS = {
    "active": ["willResignActive", "didEnterBackground", "willTerminate"],
    "inactive": ["didEnterBackground", "willTerminate"],
    "background": ["willTerminate"],
}

readers = st.integers(0, READERS - 1)
posted = st.sampled_from(POSTED)
names = st.sampled_from([None, ["model.a"], ["model.b"], ["model.a", "model.b"], ["model.c", "didBecomeActive"], []])
# After the last one that the client has seen, or as NotRetained told it, or how far back from the last notification.
places = st.sampled_from([None, "seen", "oldest", -1, 0, 5, 30])
# Bytes. The longest takes more than half of the smaller memory; a few of the others fill the buffer of the kernel, and the memory.
sizes = st.sampled_from([0, 0, 300, 4000, 12_000, 50_000])
counts = st.sampled_from([1, 1, 2, 5, 12, 40, 600])
MEMORIES = [64 << 10, 256 << 10]
LIMITS = [8, 40, 600, 8192]
# The most bytes of one step, and what a socket takes while nobody reads it.
BURST, AT_ONCE = 1 << 20, 100_000


class Subscriptions(RuleBasedStateMachine):
    """One example."""

    @initialize(size=st.sampled_from(MEMORIES), most=st.sampled_from(LIMITS))
    def start(self, size: int, most: int) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="subscriptions-")
        self.size = size
        self.service = ManagedService(Path(self.folder.name), CONFIGURATION.format(size=size, most=most))
        self.service.environment["MEMORY_PRESSURE_WATCH"] = "/dev/null"
        self.history = History(Memory(size, most))
        self.readers = [Reader(self.history) for _ in range(READERS)]
        self.marks = 0
        self.launch("active")

    def launch(self, state: str) -> None:
        self.service.start()
        self.control = self.service.connect()
        self.state = state
        last = "didEnterBackground" if state == "background" else "didBecomeActive"
        self.history.append(*map(Entry, [*LAUNCH, last]))
        # Now the service has accepted the connection: one that it has not accepted waits for the next process.
        self.settle()

    def settle(self) -> dict:
        """Everything that was begun is done, as the model says."""
        for _ in range(1000):
            state = self.control.call("GetState")
            if state["sequence"] >= self.history.last:
                break
        if (got := (state["sequence"], state["state"])) != (wanted := (self.history.last, self.state)):
            raise Fault(f"the service is at {got}, not {wanted}")
        return state

    # Subscribers

    def ask(self, reader: Reader, names: list[str] | None, place: str | int | None) -> None:
        """On the same connection, if the last subscription has ended there."""
        if reader.is_subscribed:
            reader.leave()
        after = {None: None, "seen": reader.seen, "oldest": self.history.memory.told[0] - 1}
        reader.ask(self.service.connect, names, after[place] if place in after else self.history.last - place)

    @rule(number=readers, names=names, place=places)
    def subscribe(self, number: int, names: list[str] | None, place: str | int | None) -> None:
        reader = self.readers[number]
        self.ask(reader, names, place)
        # The state, and no more of what follows it than there must be.
        while reader.view and reader.view.at is None:
            reader.link.socket.settimeout(20)
            reader.read(1)
        reader.link.socket.settimeout(0)

    @rule(number=readers, names=names, place=places)
    def visit(self, number: int, names: list[str] | None, place: str | int | None) -> None:
        """Reads everything, and goes."""
        self.subscribe(number, names, place)
        self.catch_up(number)
        self.disconnect(number)

    @rule(asked=st.lists(st.tuples(readers, names, places), max_size=3), left=st.sets(readers, max_size=2), name=posted, size=sizes,
          count=counts, posts_first=st.booleans())  # fmt: skip
    def do_at_once(self, asked: list, left: set[int], name: str, size: int, count: int, posts_first: bool) -> None:
        """The service finds all this when it looks next."""
        entries, calls = self.posts(name, size, count, AT_ONCE, oneway=True)
        with self.service.held():
            if posts_first:
                self.control.send_raw(calls)
            for number in left:
                self.readers[number].leave()
            for number, names, place in asked:
                self.ask(self.readers[number], names, place)
            if not posts_first:
                self.control.send_raw(calls)
        self.history.append(*entries)
        self.settle()

    @rule(number=readers, count=st.sampled_from([1, 100, 5000, 40_000]))
    def read(self, number: int, count: int) -> None:
        if self.readers[number].link:
            self.readers[number].read(count)

    @rule(number=readers)
    def catch_up(self, number: int) -> None:
        self.readers[number].catch_up(self.settle)

    @rule(number=readers)
    def disconnect(self, number: int) -> None:
        self.readers[number].leave()

    # Others

    def posts(self, name: str, size: int, count: int, most: int = BURST, **flags: bool) -> tuple[list[Entry], bytes]:
        """What these posts add to the history, and the calls."""
        count = min(count, most // (size + 200))
        marks = range(self.marks, self.marks + count)
        self.marks += count
        calls = [call("Post", {"name": name, "userInfo": {"mark": mark, "fill": "x" * size}}, **flags) for mark in marks]
        return [Entry(name, mark, size) for mark in marks], b"".join(calls)

    @rule(name=posted, size=sizes, count=counts, oneway=st.booleans())
    def post(self, name: str, size: int, count: int, oneway: bool) -> None:
        """In one write."""
        entries, calls = self.posts(name, size, count, oneway=oneway)
        first = self.history.last + 1
        self.history.append(*entries)
        self.control.send_raw(calls)
        if not oneway:
            got = [self.control.reply()["sequence"] for _ in entries]
            if got != list(range(first, first + len(entries))):
                raise Fault(f"posts from {first} on got the numbers {got}")
        self.settle()

    @rule(method=st.sampled_from(["Pause", "Pause", "Resume", "Interrupt", "signal"]))
    def change(self, method: str) -> None:
        if method == "signal":
            self.history.append(Entry("flushRequested"))
            self.service.send("SIGUSR1")
        else:
            added, self.state = CHANGES.get((self.state, method), ([], self.state))
            self.history.append(*map(Entry, added))
            self.control.call(method)
        self.settle()

    @rule(most=st.sampled_from(LIMITS))
    def reload(self, most: int) -> None:
        (self.service.folder / "belfry.conf").write_text(CONFIGURATION.format(size=self.size, most=most))
        self.history.append(Entry("willReload"), Entry("didReload"))
        self.control.call("Reload")
        self.history.memory.set_most(most)
        self.settle()

    @rule(posts=st.none() | st.tuples(posted, sizes, counts))
    def restart(self, posts: tuple | None) -> None:
        """In order, or with kill -9 in the middle of these posts."""
        entries = []
        if posts is None:
            self.history.append(*map(Entry, STOPS[self.state]))
            self.service.stop()
        else:
            entries, calls = self.posts(*posts, oneway=True)
            self.control.send_raw(calls)
            self.service.kill()
        self.relaunch(entries)

    def relaunch(self, uncertain: list[Entry]) -> None:
        """The next process, which knows how many of the last posts the one before has accepted."""
        self.control.socket.close()
        self.service.start()
        self.control = self.service.connect()
        self.state = "background" if self.state == "background" else "active"
        added = [*LAUNCH, "didEnterBackground" if self.state == "background" else "didBecomeActive"]
        accepted = self.control.call("GetState")["sequence"] - self.history.last - len(added)
        if not 0 <= accepted <= len(uncertain):
            raise Fault(f"{accepted} of {len(uncertain)} posts were accepted before the end")
        self.history.append(*uncertain[:accepted], *map(Entry, added))
        self.settle()
        for reader in self.readers:
            reader.read_to_the_end()

    def teardown(self) -> None:
        """Everybody reads everything. Nobody who has gone is kept."""
        if not hasattr(self, "control"):
            return
        try:
            if sys.exc_info()[0] is None:
                for reader in self.readers:
                    reader.catch_up(self.settle)
        finally:
            for reader in self.readers:
                reader.leave()
            self.control.socket.close()
            self.service.close()
            self.folder.cleanup()


def check(examples: int, number: int, phases=tuple(Phase)) -> str:
    """Runs so many examples; returns a line that sums it up. A fault raises the exception, and prints the shortest steps."""
    begun = time.monotonic()
    seed(number)(Subscriptions)
    options = settings(
        max_examples=examples, stateful_step_count=30, deadline=None, database=None, print_blob=False, phases=phases,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck), verbosity=Verbosity.normal,
    )  # fmt: skip
    run_state_machine_as_test(Subscriptions, settings=options)
    return f"subscriptions: {examples} examples in {time.monotonic() - begun:.0f} s, seed {number}"


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--examples", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    given = arguments.parse_args()
    print(f"seed {given.seed}", flush=True)
    print(check(given.examples, given.seed))
