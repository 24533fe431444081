# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Well-behaved clients while others misbehave: root and an ordinary user. They measure how long they wait, and how large the
service becomes."""

import multiprocessing
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path

from belfry_service import ADDRESS, SERVICE, BelfryService
from programs import Stopwatch, memory
from socket_memory import SocketMemory
from varlink_client import Subscriber, VarlinkClient, VarlinkError

# A longer wait counts as noticed.
NOTICED = 1.0
MIB = 1 << 20
# By how much the service may grow, including replies in the kernel, and how much of it may remain: what the allocator does
# not return, and past notifications for subscribers.
GROWTH_OF_ONE = 128 * MIB
GROWTH_OF_MANY = 256 * MIB
REMAINS = 16 * MIB
# Seconds for a stop.
STOP = 5
PULSE = "org.example.pulse"
BYSTANDER = 39999


@dataclass
class Observed:
    """What the bystanders measured: the longest wait for each operation, and the largest memory in bytes."""

    service: int
    waits: dict[str, float] = field(default_factory=dict)
    unread: int = 0
    total: int = 0
    failures: list[str] = field(default_factory=list)

    def longest(self) -> tuple[str, float]:
        return max(self.waits.items(), key=lambda wait: wait[1])

    def timed(self, what: str, action):
        watch = Stopwatch(self.service)
        try:
            return action()
        except (OSError, EOFError, VarlinkError) as failure:
            self.failures.append(f"{what}: {failure!r}")
        finally:
            self.waits[what] = max(self.waits.get(what, 0), watch.seconds)


class Bystanders:
    """The process of the bystanders."""

    def __init__(self, path: Path, leader: int, pid: int, newcomers: tuple[int, ...], rounds: Synchronized):
        self.path = path
        self.newcomers = newcomers
        self.rounds = rounds
        self.pid = pid
        self.memory = SocketMemory(leader, ADDRESS)
        self.seen = Observed(pid)
        self.subscribers = {uid: self.follow(uid) for uid in (0, BYSTANDER)}

    def follow(self, uid: int) -> Subscriber:
        return Subscriber(VarlinkClient(self.path, uid=uid), names=[PULSE])

    def once(self) -> None:
        """Connects again, and does all that a client does."""
        for uid in self.newcomers:
            who = "a user" if uid else "root"
            self.seen.timed(f"GetState of {who}", lambda: self.ask(uid))
            self.seen.timed(f"Subscribe of {who}", lambda: self.follow(uid).client.socket.close())
        self.seen.timed("Post", self.post)
        self.measure()
        self.rounds.value += 1

    def ask(self, uid: int) -> None:
        with VarlinkClient(self.path, uid=uid) as client:
            assert client.call("GetState")["state"]
            if uid == BYSTANDER:
                with suppress(VarlinkError):
                    client.call("Post", {"name": "org.example.stranger"})

    def post(self) -> None:
        """Posts, and waits until both have received it."""
        with VarlinkClient(self.path) as client:
            sequence = client.call("Post", {"name": PULSE})["sequence"]
        for subscriber in self.subscribers.values():
            assert subscriber.next()["sequence"] == sequence

    def measure(self) -> None:
        unread = self.memory.sent_and_unread()
        self.seen.unread = max(self.seen.unread, unread)
        self.seen.total = max(self.seen.total, unread + (memory(self.pid) << 10))

    def live(self, control: Connection) -> None:
        control.send("ready")
        while not control.poll(0.02):
            try:
                self.once()
            except Exception as failure:
                self.seen.failures.append(repr(failure))
                break
        control.send(self.seen)


def live(control: Connection, path: Path, leader: int, pid: int, *rest) -> None:
    bystanders = Bystanders(path, leader, pid, *rest)
    bystanders.once()
    bystanders.seen = Observed(pid)
    # proc(5): the largest resident memory is counted anew.
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    bystanders.live(control)


@contextmanager
def unharmed(
    belfry: BelfryService,
    figures: list[str],
    name: str,
    growth: int = GROWTH_OF_ONE,
    newcomers: tuple[int, ...] = (0, BYSTANDER),
):
    """Nothing that happens in the block harms the bystanders or the service, which ends in order afterwards.

    The users `newcomers` connect again and again; root and another user have subscribed before. Yields a function that
    returns when the bystanders have done all their operations a few times more, or have waited too long.
    """
    pid, outer = belfry.main_pid(), belfry.outer_pid()
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    rounds = context.Value("q", 0)
    arguments = (theirs, belfry.socket_path(), belfry.host.leader, outer, newcomers, rounds)
    process = context.Process(target=live, args=arguments, daemon=True)
    process.start()
    theirs.close()
    try:
        assert ours.poll(30) and ours.recv() == "ready", "the bystanders are not ready"
        before = memory(outer) << 10
        yield lambda: go_around(rounds)
        go_around(rounds, times=1)
        ours.send("end")
        assert ours.poll(90), "the bystanders were kept waiting"
        seen = ours.recv()
    finally:
        process.kill()
        process.join()
    remains = settled(belfry, outer, before)
    # With what the service used for clients that had gone.
    peak = (memory(outer, "VmHWM") << 10) - before
    what, wait = seen.longest()
    figures.append(
        f"{name}: {what} took {wait * 1000:.0f} ms at the longest, memory {peak / MIB:+.1f} MiB and"
        f" {seen.unread / MIB:.1f} MiB unread, {remains / MIB:+.1f} MiB remain"
    )
    print(figures[-1])
    assert belfry.main_pid() == pid, "the service has crashed"
    assert not seen.failures, seen.failures[:5]
    assert wait < NOTICED, figures[-1]
    assert max(peak, seen.total - before) <= growth, figures[-1]
    assert remains <= REMAINS, figures[-1]
    ends_in_order(belfry, figures)


def go_around(rounds: Synchronized, times: int = 5) -> None:
    """Returns when the bystanders have done all operations this many times more, or have waited too long."""
    wanted, deadline = rounds.value + times, time.monotonic() + 2 * NOTICED
    while rounds.value < wanted and time.monotonic() < deadline:
        time.sleep(0.01)


def settled(belfry: BelfryService, pid: int, before: int) -> int:
    """The memory that remains when the service has noticed that all clients are gone."""
    with suppress(AssertionError), belfry.connect() as client:
        belfry.wait_for(
            lambda: client.call("GetState") and (memory(pid) << 10) - before <= REMAINS, "give memory back", seconds=10
        )
    return (memory(pid) << 10) - before


def ends_in_order(belfry: BelfryService, figures: list[str]) -> None:
    """The service exits with 0 soon after SIGTERM, and no client has forged a log line."""
    watch = Stopwatch(belfry.host.leader)
    belfry.host.systemctl("stop", SERVICE)
    took = watch.seconds
    figures[-1] += f", stopped in {took:.2f} s"
    ended = belfry.properties("Result", "ExecMainStatus", "NRestarts")
    assert ended == {"Result": "success", "ExecMainStatus": "0", "NRestarts": "0"}, ended
    assert took < STOP, "\n".join([figures[-1], belfry.host.run("journalctl", "--lines=60", "--output=short-monotonic").stdout])
    forged = [line for record in belfry.journal() if is_forged(line := text(record))]
    assert not forged, forged[:5]


# Hostile clients try to begin a log line with this.
FORGED = "belfryd: forged"


def text(record: dict) -> str:
    """The message of a record; journalctl shows one that is not plain text as a list of its bytes."""
    message = record["MESSAGE"]
    return message if isinstance(message, str) else bytes(message).decode(errors="replace")


def is_forged(message: str) -> bool:
    """Whether a client has begun a line of the message, or the message has control characters, which the service escapes."""
    return any(line.startswith(FORGED) for line in message.splitlines()) or any(ord(c) < 32 and c != "\n" for c in message)
