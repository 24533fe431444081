# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Clients with filters subscribe, disconnect, stall, read slowly and subscribe again, while others post, pause, reload, restart and
kill the service: each gets what it asked for, in order, each once (see subscription_model.py).

    python3 Tests/System/random/subscriptions.py [--examples 20000] [--seed NUMBER]

A fault prints the shortest steps that lead to it. Each example has a service of its own, without systemd (managed_service.py), so
that it ends the same way each time; only where `crash` kills it is chance. It needs the release build.
"""

import argparse
import random
import sys
import tempfile
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kit"))

from hypothesis import HealthCheck, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from modelled_service import ModelledService
from subscription_clients import Reader

READERS = 4
readers = st.integers(0, READERS - 1)
posted = st.sampled_from(["model.a", "model.b", "model.c"])
names = st.sampled_from([None, ["model.a"], ["model.b"], ["model.a", "model.b"], ["model.c", "didBecomeActive"], []])
# After the last one that the client has seen, or as NotRetained told it, or how far back from the last notification.
places = st.sampled_from([None, "seen", "oldest", -1, 0, 5, 30])
# Bytes. The longest takes more than half of the smaller memory; a few of the others fill the buffer of the kernel, and the memory.
sizes = st.sampled_from([0, 0, 300, 4000, 12_000, 50_000])
counts = st.sampled_from([1, 1, 2, 5, 12, 40, 600])
# ReplaySize= and ReplayMax=.
memories = st.sampled_from([64 << 10, 256 << 10])
limits = st.sampled_from([8, 40, 600, 8192])
# The most bytes of one step, and what a socket takes while nobody reads it.
BURST, AT_ONCE = 1 << 20, 100_000
# Hypothesis keeps every example of a run and looks at all of them before the next: a run of 20,000 takes 1.2 GB.
AT_A_TIME = 1000


def within(most: int, size: int, count: int) -> int:
    """How many posts of this size a step makes."""
    return min(count, most // (size + 200))


class Subscriptions(RuleBasedStateMachine):
    """One example."""

    @initialize(size=memories, most=limits)
    def start(self, size: int, most: int) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="subscriptions-")
        self.service = ModelledService(Path(self.folder.name), size, most)
        self.readers = [Reader(self.service.history) for _ in range(READERS)]
        self.service.launch()

    # Subscribers

    def ask(self, number: int, names: list[str] | None, place: str | int | None) -> None:
        """On the same connection, if the last subscription has ended there."""
        reader, history = self.readers[number], self.service.history
        if reader.is_subscribed:
            reader.leave()
        after = {None: None, "seen": reader.seen, "oldest": history.memory.told[0] - 1}
        reader.ask(self.service.connect, names, after[place] if place in after else history.last - place)

    @rule(number=readers, names=names, place=places)
    def subscribe(self, number: int, names: list[str] | None, place: str | int | None) -> None:
        self.ask(number, names, place)
        self.readers[number].read_the_first()

    @rule(number=readers, names=names, place=places)
    def visit(self, number: int, names: list[str] | None, place: str | int | None) -> None:
        """Reads everything, and goes."""
        self.subscribe(number, names, place)
        self.catch_up(number)
        self.disconnect(number)

    @rule(number=readers, count=st.sampled_from([1, 100, 5000, 40_000]))
    def read(self, number: int, count: int) -> None:
        if self.readers[number].link:
            self.readers[number].read(count)

    @rule(number=readers)
    def catch_up(self, number: int) -> None:
        self.readers[number].catch_up(self.service.settle)

    @rule(number=readers)
    def disconnect(self, number: int) -> None:
        self.readers[number].leave()

    @rule(asked=st.lists(st.tuples(readers, names, places), max_size=3), left=st.sets(readers, max_size=2), name=posted, size=sizes,
          count=counts, posts_first=st.booleans())  # fmt: skip
    def do_at_once(self, asked: list, left: set[int], name: str, size: int, count: int, posts_first: bool) -> None:
        """The service finds all this when it looks next."""
        entries, calls = self.service.posts(name, size, within(AT_ONCE, size, count), oneway=True)
        with self.service.held():
            if posts_first:
                self.service.control.send_raw(calls)
            for number in left:
                self.disconnect(number)
            for number, names, place in asked:
                self.ask(number, names, place)
            if not posts_first:
                self.service.control.send_raw(calls)
        self.service.history.append(*entries)
        self.service.settle()
        # A connection that it had not accepted yet would wait for the next process.
        for number, _, _ in asked:
            self.readers[number].read_the_first()

    # Others

    @rule(name=posted, size=sizes, count=counts, oneway=st.booleans())
    def post(self, name: str, size: int, count: int, oneway: bool) -> None:
        self.service.post(name, size, within(BURST, size, count), oneway)

    @rule(method=st.sampled_from(["Pause", "Pause", "Resume", "Interrupt"]))
    def change(self, method: str) -> None:
        self.service.change(method)

    @rule(most=st.none() | limits)
    def signal_or_reload(self, most: int | None) -> None:
        if most is None:
            self.service.signal()
        else:
            self.service.reload(most)

    @rule(posts=st.none() | st.tuples(posted, sizes, counts))
    def restart(self, posts: tuple | None) -> None:
        """In order, or with kill -9 in the middle of these posts."""
        if posts is None:
            self.service.restart()
        else:
            name, size, count = posts
            self.service.crash(name, size, within(BURST, size, count))
        for reader in self.readers:
            reader.read_to_the_end()

    def teardown(self) -> None:
        """Everybody reads everything, unless something has failed."""
        if not hasattr(self, "readers"):
            return
        try:
            if sys.exc_info()[0] is None:
                for number in range(READERS):
                    self.catch_up(number)
        finally:
            for number in range(READERS):
                self.disconnect(number)
            self.service.close()
            self.folder.cleanup()


def check(examples: int, number: int) -> str:
    """Runs so many examples, of this seed and those after it; returns a line that sums it up. A fault raises AssertionError with
    the shortest steps."""
    begun = time.monotonic()
    for done in range(0, examples, AT_A_TIME):
        check_seed(min(AT_A_TIME, examples - done), number + done // AT_A_TIME)
    return f"subscriptions: {examples} examples in {time.monotonic() - begun:.0f} s, seed {number}"


def check_seed(examples: int, number: int) -> None:
    seed(number)(Subscriptions)
    options = settings(
        max_examples=examples, stateful_step_count=30, deadline=None, database=None, print_blob=False,
        report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    try:
        run_state_machine_as_test(Subscriptions, settings=options)
    except Exception as found:
        again = f"again: python3 Tests/System/random/subscriptions.py --seed {number} --examples {examples}"
        raise AssertionError("\n".join([repr(found), *getattr(found, "__notes__", []), again])) from found


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--examples", type=int, default=20_000)
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    given = arguments.parse_args()
    print(f"seed {given.seed}", flush=True)
    try:
        print(check(given.examples, given.seed))
    except AssertionError as found:
        sys.exit(str(found))
