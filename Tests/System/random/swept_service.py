# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The service that the sweep disturbs: one client subscribes, others post, and strace makes the faults."""

import os
import re
import signal
import subprocess
from pathlib import Path

from managed_service import ManagedService
from soak_model import POST
from varlink_client import Subscriber, VarlinkClient

CONFIGURATION = """
[Logger]
Target=stderr
[Socket]
# A group that every machine has: for another one libc searches in dozens of places.
Group=root
"""

# It can be told to detach, and prints a line for each system call and nothing else.
STRACE = ["strace", "-I2", "-qq", "--signal=none"]


class SweptService(ManagedService):
    """A service under strace, with its clients."""

    def __init__(self, folder: Path):
        super().__init__(folder, CONFIGURATION)
        self.trace = folder / "trace"
        self.tracer: subprocess.Popen | None = None
        self.subscriber: Subscriber | None = None
        # The number of each post, and its sequence number if it was accepted.
        self.posts: dict[int, int | None] = {}

    # strace

    def start(self, *strace: str) -> None:
        """Starts the next process, with these options under strace, and waits until it is ready."""
        # Its parent is still this process, and not strace.
        super().start(*([*STRACE, "-D", "-o", str(self.trace), *strace] if strace else []))

    def attach(self, *strace: str) -> None:
        """Traces the process from its present wait for events on."""
        command = [*STRACE, "-o", self.trace, *strace, "-p", str(self.pid)]
        self.tracer = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.wait_for(lambda: self.tracer_pid() != 0, "strace")

    def detach(self) -> None:
        """Lets the process go on at full speed."""
        if self.status is not None:
            return
        if (tracer := self.tracer_pid()) != 0:
            os.kill(tracer, signal.SIGTERM)
            self.wait_for(lambda: self.tracer_pid() != tracer, "strace to detach")
        if self.tracer:
            self.tracer.wait()
            self.tracer = None

    def traced(self) -> list[str]:
        """The system calls that were traced, one a line."""
        return [line for line in self.trace.read_text().splitlines() if not line.startswith("+++")]

    def tracer_pid(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.split("TracerPid:")[1].split()[0])

    def wait_until_idle(self) -> None:
        """Waits until the process waits for events, so that what follows happens after the same system call each time."""
        place = Path(f"/proc/{self.pid}/wchan")
        self.wait_for(lambda: re.search("ep_poll|epoll_wait", place.read_text()), "wait for events")

    def close(self) -> None:
        super().close()
        if self.tracer:
            self.tracer.wait()
        if self.subscriber:
            self.subscriber.client.socket.close()

    # The clients

    def connect(self) -> VarlinkClient:
        try:
            return super().connect()
        except FileNotFoundError:
            # It has removed its socket, because it stops.
            self.wait_for(lambda: False, "end without a socket")

    def call(self, method: str, parameters: dict | None = None) -> dict:
        with self.connect() as client:
            client.send(method, parameters)
            self.wait_for(lambda: False, f"answer to {method}", client.socket)
            return client.reply()

    def subscribe(self, **parameters) -> None:
        client = self.connect()
        # As soon as the process has ended, nobody would answer.
        client.send("GetState")
        self.wait_for(lambda: False, "answer to GetState", client.socket)
        client.reply()
        self.subscriber = Subscriber(client, **parameters)

    def post(self) -> None:
        number = len(self.posts) + 1
        self.posts[number] = None
        self.posts[number] = self.call("Post", {"name": POST, "userInfo": {"post": number}})["sequence"]
