# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What work costs in instructions and system calls, which do not depend on the machine's speed. Each figure is the
difference between two runs of the service: one with the work, done a known number of times, and one without."""

import re
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from pathlib import Path

from .client import Client, call
from .measure import Place, Row, Section
from .process import Process
from .signals import SUBSCRIBE, send

WORK, SUBSCRIBERS = 500, 100
LISTENER_GOAL, LOGGED_GOAL, LIFE_GOAL = 6_000, 20_000, 12_000_000
KNOWN_GOAL, NEW_GOAL = 5, 14
POST = call("Post", name="org.example.post", userInfo={"payload": "x" * 100})


class Counted:
    """A stripped program under callgrind, or under strace."""

    def __init__(self, place: Place, program: Path):
        self.place = place
        self.program = place.directory("counted") / program.name
        subprocess.run(["strip", "-o", self.program, program], check=True)

    @contextmanager
    def run(self, tool: str, arguments: list, directory: Path):
        """The process, and a list that has the count when it has ended."""
        output = self.place.directory(tool) / "output"
        callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={output}"]
        # With -D it is strace that is the child, so that the process is the one that was started.
        strace = ["strace", "-D", "-f", "-c", "-o", output]
        environment = {"XDG_RUNTIME_DIR": str(directory), "XDG_STATE_HOME": str(directory)}
        tracer = callgrind if tool == "callgrind" else strace
        count: list[int] = []
        with Process([*tracer, self.program, *arguments], environment, log=directory / "log") as process:
            yield process, count
        count.append(_read(output))


def _read(output: Path) -> int:
    """The instructions by valgrind's log, or the calls by strace's table, which may come after the process has ended."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        text = output.read_text(errors="replace") if output.exists() else ""
        if found := re.search(r"Collected : (\d+)", text):
            return int(found.group(1))
        if found := re.search(r"^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s.*total$", text, re.MULTILINE):
            return int(found.group(1))
        time.sleep(0.05)
    raise RuntimeError(f"unable to read a count from '{output}': {text[-300:]}")


class Service:
    """belfryd, or a program of the signal benchmarks, with a configuration of one's own."""

    def __init__(self, place: Place, program: Path, configuration: str | None):
        self.place, self.configuration = place, configuration
        self.page = program.name != "belfryd"
        self.counted = Counted(place, program)

    def count(self, tool: str, work: Callable[[Process, Path], None]) -> int:
        directory = self.place.directory("service")
        configuration, socket, page = directory / "belfry.conf", directory / "socket", directory / "page"
        arguments = [page] if self.page else ["--config", configuration, "--socket", socket]
        if self.configuration is not None:
            configuration.write_text(self.configuration)
            arguments += [configuration, socket] if self.page else []
        with self.counted.run(tool, arguments, directory) as (process, count):
            process.wait_for(page if self.page else socket, limit=60)
            work(process, directory)
        return count[0]

    def each(self, tool: str, work: Callable[[Process, Path, int], None], times: int = WORK) -> float:
        """One piece of work, as the difference between some and more of it."""
        few = times // 10
        counts = [
            self.count(tool, lambda process, directory: work(process, directory, number)) for number in (few, times + few)]
        return (counts[1] - counts[0]) / times


def _to_listener(place: Place):
    return lambda process, directory, number: send(place, "latency", number, process.pid, directory / "page")


def _to_subscriber(place: Place):
    def work(process: Process, directory: Path, number: int) -> None:
        send(place, number, process.pid, directory / "socket", SUBSCRIBE, sender="SignalSubscriber")
    return work


def _by_kill(process: Process, directory: Path, number: int) -> None:
    """From a new shell for each signal, which is still there when it is looked up."""
    with Client(directory / "socket") as client:
        client.call(SUBSCRIBE.encode())
        for _ in range(number):
            with subprocess.Popen(["sh", "-c", f"kill -USR1 {process.pid}; read end"], stdin=subprocess.PIPE):
                client.receive()


def _posts(_: Process, directory: Path, number: int) -> None:
    with Client(directory / "socket") as client:
        for _ in range(number):
            client.call(POST)


def _deliveries(_: Process, directory: Path, number: int) -> None:
    with ExitStack() as stack:
        subscribers = [stack.enter_context(Client(directory / "socket")) for _ in range(SUBSCRIBERS)]
        for subscriber in subscribers:
            subscriber.call(call("Subscribe", more=True))
        with Client(directory / "socket") as client:
            for _ in range(number):
                client.call(POST)
                for subscriber in subscribers:
                    subscriber.receive()


def counts(place: Place) -> Section:
    alone = Service(place, place.helpers / "SignalBelfry", "[Socket]\nEnabled=no\n[Logger]\nEnabled=no\n")
    loop = Service(place, place.helpers / "SignalLoop", None)
    logged = Service(place, place.built / "belfryd", "[Logger]\nTarget=stderr\n")
    quiet = Service(place, place.built / "belfryd", "[Logger]\nEnabled=no\n")

    listener, bare = (service.each("callgrind", _to_listener(place)) for service in (alone, loop))
    subscriber = logged.each("callgrind", _to_subscriber(place))
    known, new = logged.each("strace", _to_subscriber(place)), logged.each("strace", _by_kill, times=50)
    post, post_calls = (quiet.each(tool, _posts) for tool in ("callgrind", "strace"))
    delivery = quiet.each("callgrind", _deliveries, times=100) / SUBSCRIBERS
    life = logged.count("callgrind", lambda *_: None)
    return Section("Counts: instructions in user space, and system calls", [
        _row("instructions, signal to a listener", listener, LISTENER_GOAL, f"C signalfd loop {bare:,.0f}"),
        _row("the same, logged, to a subscriber", subscriber, LOGGED_GOAL),
        _row("system calls, logged, to a subscriber", known, KNOWN_GOAL, digits=1),
        _row("the same, from a sender seen first", new, NEW_GOAL, digits=1),
        _row("instructions, post with its reply", post),
        _row("system calls, post with its reply", post_calls, digits=1),
        _row(f"instructions, delivery of a post to {SUBSCRIBERS}", delivery),
        _row("instructions, start and stop", life, LIFE_GOAL),
    ])


def _row(work: str, count: float, goal: int | None = None, peers: str = "", digits: int = 0) -> Row:
    text = f"{count:,.{digits}f}"
    return Row(work, text, peers) if goal is None else Row(work, text, peers, "", f"<= {goal:,}", count <= goal)
