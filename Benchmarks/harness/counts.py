# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Instructions and system calls, which do not depend on the speed of the machine."""

import os
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from .client import Client, call
from .measure import Place, Row, Section, at_most
from .process import Process
from .signals import SUBSCRIBE, send

TIMES, SUBSCRIBERS = 500, 100
LISTENER_GOAL, LOGGED_GOAL, JOURNAL_GOAL, LIFE_GOAL, POST_GOAL = 6_000, 22_000, 25_000, 8_000_000, 31_000
NEW_LISTENER_GOAL, KNOWN_GOAL, NEW_GOAL = 10_000, 4.1, 11
NO_LOGGER = "[Logger]\nEnabled=no\n"
POST = call("Post", name="org.example.post", userInfo={"payload": "x" * 100})

# Runs a program in a mount namespace where the journal's directory is $1.
IN_NAMESPACE = 'mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/journal && mount --bind "$1" /run/systemd/journal && shift && exec "$@"'

# Some work with a running service, so many times. Its files are in the directory.
Work = Callable[[Process, Path, int], None]


def count(
    tool: str, place: Place, command: list, directory: Path, work: Callable[[Process], None],
    within: Callable[[list], list] = list,
) -> int:
    """The instructions (callgrind) or the system calls (strace) of a process, from its start to its end after the work."""
    output = place.directory(tool) / "output"
    tracer = {
        "callgrind": ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={output}"],
        # With -D strace is the child, so that the process that was started is the one that is traced.
        "strace": ["strace", "-D", "-f", "-c", "-o", output],
    }[tool]
    environment = {"XDG_RUNTIME_DIR": str(directory), "XDG_STATE_HOME": str(directory)}
    with Process(within([*tracer, *command]), environment, log=directory / "log") as process:
        work(process)
    # strace may write its table after the process has ended.
    end = time.monotonic() + 10
    while time.monotonic() < end:
        text = output.read_text(errors="replace") if output.exists() else ""
        if found := re.search(r"Collected : (\d+)|^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*total$", text, re.MULTILINE):
            return int(found[1] or found[2])
        time.sleep(0.05)
    raise RuntimeError(f"unable to read a count from '{output}': {text[-300:]}")


class Journal:
    """A socket in the place of journald's, for one command. What arrives is dropped."""

    def __init__(self, directory: Path):
        self._directory = directory
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(directory / "socket"))
        self.records = 0
        threading.Thread(target=self._drop, daemon=True).start()

    def _drop(self) -> None:
        while self._socket.recv(1 << 20):
            self.records += 1

    def command(self, command: list) -> list:
        """The command with this journal."""
        as_root = [] if os.geteuid() == 0 else ["--map-root-user"]
        return ["unshare", "--mount", *as_root, "sh", "-c", IN_NAMESPACE, "sh", self._directory, *command]


class Service:
    """belfryd, or a receiver of signals, with this configuration."""

    def __init__(self, place: Place, program: Path, configuration: str = ""):
        self.place, self.program, self.configuration = place, place.stripped(program), configuration

    def count(self, tool: str, times: int, work: Work, within: Callable[[list], list] = list) -> int:
        """The count of a service that has done the work so many times."""
        directory = self.place.directory("service")
        page, configuration, socket = (directory / name for name in ("page", "belfry.conf", "socket"))
        configuration.write_text(self.configuration)
        arguments, ready = {
            "belfryd": (["--config", configuration, "--socket", socket], socket),
            "SignalBelfry": ([page, configuration, socket], page),
            "SignalLoop": ([page], page),
        }[self.program.name]

        def when_ready(process: Process) -> None:
            process.wait_for(ready, limit=60)
            work(process, directory, times)

        return count(tool, self.place, [self.program, *arguments], directory, when_ready, within)

    def each(self, tool: str, work: Work, times: int = TIMES) -> float:
        """The count of the work, by the difference between two runs."""
        few = times // 10
        return (self.count(tool, few + times, work) - self.count(tool, few, work)) / times


class JournalingService(Service):
    """belfryd that logs to the journal."""

    def __init__(self, place: Place):
        super().__init__(place, place.built / "belfryd", "[Logger]\nTarget=journal\n")

    def count(self, tool: str, times: int, work: Work) -> int:
        journal = Journal(self.place.directory("journal"))
        found = super().count(tool, times, work, within=journal.command)
        if journal.records < times:
            raise RuntimeError(f"the journal got {journal.records} records for {times} signals")
        return found


def _from_new_senders(process: Process, times: int, arrives: Callable[[], object]) -> None:
    """From a new shell for each signal. It lives until the notification has arrived, so that it can be looked up."""
    for _ in range(times):
        with subprocess.Popen(["sh", "-c", f"kill -USR1 {process.pid}; read end"], stdin=subprocess.PIPE):
            arrives()


def _new_to_listener(process: Process, directory: Path, times: int) -> None:
    page = directory / "page"
    before = page.read_bytes()

    def arrives() -> None:
        nonlocal before
        while (now := page.read_bytes()) == before:
            time.sleep(0.001)
        before = now

    _from_new_senders(process, times, arrives)


def _new_to_subscriber(process: Process, directory: Path, times: int) -> None:
    with Client(directory / "socket") as client:
        client.call(SUBSCRIBE.encode())
        _from_new_senders(process, times, client.receive)


def _posts(_: Process, directory: Path, times: int) -> None:
    with Client(directory / "socket") as client:
        for _ in range(times):
            client.call(POST)


def _deliveries(_: Process, directory: Path, times: int) -> None:
    with ExitStack() as stack:
        subscribers = [stack.enter_context(Client(directory / "socket")) for _ in range(SUBSCRIBERS)]
        for subscriber in subscribers:
            subscriber.call(call("Subscribe", more=True))
        with Client(directory / "socket") as client:
            for _ in range(times):
                client.call(POST)
                for subscriber in subscribers:
                    subscriber.receive()


def counts(place: Place) -> Section:
    def to_listener(process: Process, directory: Path, times: int) -> None:
        send(place, "listener", times, process.pid, directory / "page")

    def to_subscriber(process: Process, directory: Path, times: int) -> None:
        send(place, "subscriber", times, process.pid, directory / "socket", SUBSCRIBE)

    alone = Service(place, place.helpers / "SignalBelfry", f"[Socket]\nEnabled=no\n{NO_LOGGER}")
    loop = Service(place, place.helpers / "SignalLoop")
    logged = Service(place, place.built / "belfryd", "[Logger]\nTarget=stderr\n")
    quiet = Service(place, place.built / "belfryd", NO_LOGGER)
    bare = loop.each("callgrind", to_listener)
    return Section("Counts: instructions in user space, and system calls", "what a change costs, on any machine", [
        _row("instructions, signal to a listener", alone.each("callgrind", to_listener), LISTENER_GOAL,
             peers=f"C signalfd loop {bare:,.0f}"),
        _row("the same, from a new sender", alone.each("callgrind", _new_to_listener, times=50), NEW_LISTENER_GOAL),
        _row("the same, logged, to a subscriber", logged.each("callgrind", to_subscriber), LOGGED_GOAL),
        _row("the same, logged to the journal", JournalingService(place).each("callgrind", to_subscriber), JOURNAL_GOAL),
        _row("system calls, logged, to a subscriber", logged.each("strace", to_subscriber), KNOWN_GOAL, digits=1),
        _row("the same, from a new sender", logged.each("strace", _new_to_subscriber, times=50), NEW_GOAL, digits=1),
        _row("instructions, post with its reply", quiet.each("callgrind", _posts), POST_GOAL),
        _row("system calls, post with its reply", quiet.each("strace", _posts), digits=1),
        _row(f"instructions, delivery of a post to {SUBSCRIBERS}",
             quiet.each("callgrind", _deliveries, times=100) / SUBSCRIBERS),
        _row("instructions, start and stop", logged.count("callgrind", 0, lambda *_: None), LIFE_GOAL),
    ])


def _row(work: str, value: float, goal: int | None = None, peers: str = "", digits: int = 0) -> Row:
    return Row(work, f"{value:,.{digits}f}", peers, goal=at_most(value, goal) if goal else None)
