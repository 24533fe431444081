# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many subscribers in one process, which check the number of every notification."""

import multiprocessing
import re
import resource
import select
import time
from multiprocessing.connection import Connection
from pathlib import Path

from varlink_client import VarlinkClient

SUBSCRIBERS = 1000
# Seconds in which all must have everything.
PATIENCE = 120
# The report of a crowd that has missed nothing.
CLEAN = {"lost": 0, "doubled": 0, "errors": [], "behind": 0}
SEQUENCE = re.compile(rb'"sequence":(\d+)')


class Member:
    """A subscriber. One whose connection ends connects again, and asks for what comes after the last number it has seen."""

    def __init__(self, path: Path, report: dict):
        self.path, self.report = path, report
        self.last = 0
        self.connect()

    def connect(self) -> None:
        while True:
            try:
                self.client = VarlinkClient(self.path)
                break
            except (FileNotFoundError, ConnectionRefusedError):
                time.sleep(0.01)
        self.has_state = False
        try:
            self.client.send("Subscribe", {"after": self.last} if self.last else {}, more=True)
        except OSError:
            # The service has ended meanwhile, which is noticed when the reply is read.
            pass
        self.client.socket.settimeout(0)

    def read(self) -> bool:
        """Reads what has arrived. False if the service has closed the connection."""
        frames = self.client.arrived()
        for frame in frames or []:
            number = SEQUENCE.search(frame)
            if number is None or b'"error":' in frame:
                self.report["errors"].append(frame[:200])
            elif self.has_state:
                self.see(int(number[1]))
            else:
                self.has_state = True
                self.last = self.last or int(number[1])
        return frames is not None

    def see(self, number: int) -> None:
        self.report["got"] += 1
        self.report["doubled"] += number <= self.last
        self.report["lost"] += max(0, number - self.last - 1)
        self.last = max(self.last, number)


def live(control: Connection, path: Path, count: int) -> None:
    """Sends the number before the first notification, and a report when all have reached the number that it is sent."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    report = {"lost": 0, "doubled": 0, "errors": [], "got": 0}
    poller, members, behind = select.epoll(), {}, count

    def watch(member: Member) -> None:
        members[member.client.socket.fileno()] = member
        poller.register(member.client.socket, select.EPOLLIN)

    def turn() -> None:
        for descriptor, _ in poller.poll(0.1):
            member = members[descriptor]
            if not member.read():
                del members[descriptor]
                member.client.socket.close()
                member.connect()
                watch(member)

    for _ in range(count):
        watch(Member(path, report))
    while not all(member.has_state for member in members.values()):
        turn()
    control.send(next(iter(members.values())).last)
    while not control.poll():
        turn()
    last, deadline = control.recv(), time.monotonic() + PATIENCE
    while behind and time.monotonic() < deadline:
        turn()
        behind = sum(member.last < last for member in members.values())
    control.send(report | {"behind": behind})


class Crowd:
    """A thousand subscribers in a separate process."""

    def __init__(self, belfry, count: int = SUBSCRIBERS):
        context = multiprocessing.get_context("fork")
        self.control, theirs = context.Pipe()
        self.process = context.Process(target=live, args=(theirs, belfry.socket_path(), count), daemon=True)
        self.process.start()
        theirs.close()
        self.first = self.control.recv()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.join()

    def report(self, last: int) -> dict:
        """What they received, when all have reached notification `last`."""
        self.control.send(last)
        return self.control.recv()
