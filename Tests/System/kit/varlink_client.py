# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A Varlink client written from the specification alone: JSON objects, each followed by a NUL byte."""

import json
import os
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INTERFACE = "io.belfry.Lifecycle"
NOBODY = 65534


class VarlinkError(Exception):
    """An error reply: its name and its parameters."""

    def __init__(self, name: str, parameters: dict):
        super().__init__(f"{name} {parameters}")
        self.name = name
        self.parameters = parameters


class VarlinkClient:
    """One connection. Every wait ends after `timeout` seconds with TimeoutError."""

    def __init__(self, path: Path, uid: int = 0, timeout: float = 20):
        self.arguments = (path, uid, timeout)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        # In a full queue connect(2) waits, as long as the socket may block.
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", int(timeout), 0))
        self.pending = bytearray()
        home = os.getcwd()
        # The kernel notes the peer's credentials at connect(); the folder is entered while we still may.
        os.chdir(path.parent)
        try:
            with credentials(uid):
                self.socket.connect(path.name)
        finally:
            os.chdir(home)
        self.socket.settimeout(timeout)

    def __enter__(self) -> "VarlinkClient":
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()

    def send(self, method: str, parameters: dict | None = None, **flags: bool) -> None:
        name = method if "." in method else f"{INTERFACE}.{method}"
        self.send_raw(json.dumps({"method": name, "parameters": parameters or {}, **flags}).encode() + b"\0")

    def send_raw(self, data: bytes) -> None:
        self.socket.sendall(data)

    def receive(self) -> dict:
        """The next frame as received. EOFError if the service has closed the connection."""
        while (end := self.pending.find(0)) < 0:
            data = self.socket.recv(1 << 16)
            if not data:
                raise EOFError
            self.pending += data
        frame = json.loads(self.pending[:end])
        del self.pending[: end + 1]
        return frame

    def arrived(self, budget: int = 1 << 20) -> list[bytes] | None:
        """The frames that have arrived, reading at most `budget` bytes, without waiting if the timeout of the socket is 0; None if
        the service has closed the connection."""
        is_closed = False
        while budget > 0 and not is_closed:
            try:
                data = self.socket.recv(min(budget, 1 << 16))
            except BlockingIOError:
                break
            except OSError:
                data = b""
            is_closed = not data
            self.pending += data
            budget -= len(data)
        complete, _, rest = bytes(self.pending).rpartition(b"\0")
        self.pending = bytearray(rest)
        # What came before the end counts.
        return complete.split(b"\0") if complete else None if is_closed else []

    def reply(self) -> dict:
        """The parameters of the next reply; raises an error reply as VarlinkError."""
        frame = self.receive()
        if "error" in frame:
            raise VarlinkError(frame["error"], frame.get("parameters") or {})
        return frame.get("parameters") or {}

    def call(self, method: str, parameters: dict | None = None) -> dict:
        self.send(method, parameters)
        return self.reply()

    def attach(self, listener: str, *names: str) -> None:
        """Attaches as a listener with a minute for each answer; each `reply` is a notification and its token."""
        parameters = {"listener": listener, "names": names, "deadlineUsec": 60_000_000, "confirm": True}
        self.send("Attach", parameters, more=True)
        self.reply()

    def collect(self, method: str) -> list[dict]:
        """The parameters of every reply to a call with 'more', up to the last one."""
        self.send(method, more=True)
        frames = [self.receive()]
        while frames[-1].get("continues"):
            frames.append(self.receive())
        return [frame["parameters"] for frame in frames]


class Subscriber:
    """A subscription: `state` is the first reply, `seen` has every notification read so far. `next` and `until` connect again,
    and continue after the last number, if the service has closed the connection."""

    def __init__(self, client: VarlinkClient, **parameters):
        self.client = client
        self.parameters = parameters
        self.seen: list[dict] = []
        client.send("Subscribe", parameters, more=True)
        self.state = client.reply()["state"]

    def next(self) -> dict:
        end = time.monotonic() + 30
        while True:
            try:
                return self.next_of_connection()
            except (EOFError, ConnectionError, FileNotFoundError):
                assert time.monotonic() < end, "the service did not come back"
                self.renew()

    def next_of_connection(self) -> dict:
        notification = self.client.reply()["notification"]
        self.seen.append(notification)
        return notification

    def renew(self) -> None:
        """Connects again, if the service can be reached."""
        last = (self.seen[-1] if self.seen else self.state)["sequence"]
        try:
            self.client = VarlinkClient(*self.client.arguments)
            self.client.send("Subscribe", {**self.parameters, "after": last}, more=True)
            self.client.reply()
        except (EOFError, ConnectionError, FileNotFoundError):
            time.sleep(0.05)

    def until(self, name: str) -> list[dict]:
        """The notifications from now on, up to and including the first one called `name`."""
        arrived = [self.next()]
        while arrived[-1]["name"] != name:
            arrived.append(self.next())
        return arrived

    def is_consecutive(self) -> bool:
        """Whether no notification was missing or repeated since the state."""
        return are_consecutive([self.state, *self.seen])

    def to_the_end(self) -> Iterator[dict]:
        """The notifications until the service closes the connection."""
        while True:
            try:
                yield self.next_of_connection()
            except (EOFError, ConnectionResetError):
                return


def numbers(notifications: list[dict]) -> list[int]:
    return [n["sequence"] for n in notifications]


def are_consecutive(notifications: list[dict]) -> bool:
    """Whether each number is the one after that before it."""
    seen = numbers(notifications)
    return seen == list(range(seen[0], seen[0] + len(seen)))


@contextmanager
def credentials(uid: int, others: list[int] | tuple = ()):
    """This process with the effective user `uid`, the group of the same number, and these other groups."""
    if uid == 0:
        yield
        return
    groups = os.getgroups()
    os.setgroups(others)
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)
