# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A belfryd without systemd: this process has the service manager's part (sd_notify(3)) and keeps the descriptor store, one
client subscribes and others post, and strace makes the faults."""

import array
import fcntl
import os
import re
import select
import signal
import socket
import subprocess
import time
from pathlib import Path

from private_service import DAEMON, PrivateService
from soak_model import POST, Fault
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
# A run takes a tenth of a second.
LIMIT = 30
# Nothing of the machine, and the same order of everything in each run.
ENVIRONMENT = {
    "TZ": "UTC",
    "SWIFT_DETERMINISTIC_HASHING": "1",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus",
}


class Ended(Exception):
    """The process has ended, perhaps as it should."""


class SweptService(PrivateService):
    """A service over several processes, each of which gets what the one before has stored."""

    def __init__(self, folder: Path):
        super().__init__(folder, CONFIGURATION)
        self.log = folder / "log"
        self.trace = folder / "trace"
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.manager.bind(str(folder / "notify"))
        # What the process has sent to the service manager, and the descriptors in the store.
        self.messages: list[str] = []
        self.store: list[tuple[str, int]] = []
        self.status: int | None = None
        self.process = self.pid = 0
        self.tracer: subprocess.Popen | None = None
        self.subscriber: Subscriber | None = None
        # The number of each post, and its sequence number if it was accepted.
        self.posts: dict[int, int | None] = {}

    # The process

    def start(self, *strace: str) -> None:
        """Starts the next process, with these options under strace, and waits until it is ready."""
        self.messages = []
        self.status = None
        self.log.write_bytes(b"")
        command = [str(DAEMON), *self.options]
        if strace:
            # Its parent is still this process, and not strace.
            command = [*STRACE, "-D", "-o", str(self.trace), *strace, *command]
        self.pid = os.fork()
        if self.pid == 0:
            self.execute(["setpriv", "--pdeathsig", "KILL", *command])
        self.process = os.pidfd_open(self.pid)
        self.wait_for(lambda: "READY=1" in self.messages, "READY=1")

    def execute(self, command: list[str]) -> None:
        """In the child: passes the stored descriptors from number 3 on (sd_listen_fds(3))."""
        try:
            # Outside of every terminal, as systemd does it.
            os.setsid()
            os.dup2(os.open(self.log, os.O_WRONLY | os.O_APPEND), 2)
            for number, copy in enumerate([fcntl.fcntl(d, fcntl.F_DUPFD_CLOEXEC, 100) for _, d in self.store], 3):
                os.dup2(copy, number)
            environment = {
                **self.environment,
                **ENVIRONMENT,
                "NOTIFY_SOCKET": f"{self.folder}/notify",
                "LISTEN_PID": str(os.getpid()),
                "LISTEN_FDS": str(len(self.store)),
                "LISTEN_FDNAMES": ":".join(name for name, _ in self.store),
            }
            if not self.store:
                environment = {key: value for key, value in environment.items() if not key.startswith("LISTEN_")}
            os.execvpe(command[0], command, environment)
        finally:
            os._exit(127)

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

    def send(self, name: str) -> None:
        signal.pidfd_send_signal(self.process, signal.Signals[name])

    def wait_for_end(self) -> int:
        """Its exit status, or the negative number of the signal that has ended it."""
        try:
            self.wait_for(lambda: False, "its end")
        except Ended:
            pass
        return self.status

    def close(self) -> None:
        if self.pid and self.status is None:
            self.send("SIGKILL")
            self.wait_for_end()
        if self.tracer:
            self.tracer.wait()
        if self.subscriber:
            self.subscriber.client.socket.close()
        self.manager.close()
        self.discard_store()

    def discard_store(self) -> None:
        """As after "systemctl stop"."""
        for _, descriptor in self.store:
            os.close(descriptor)
        self.store = []

    # Waiting

    def wait_until_idle(self) -> None:
        """Waits until the process waits for events, so that what follows happens after the same system call each time."""
        place = Path(f"/proc/{self.pid}/wchan")
        self.wait_for(lambda: re.search("ep_poll|epoll_wait", place.read_text()), "wait for events")

    def wait_for(self, condition, what: str, *sockets: socket.socket) -> None:
        """Waits until the condition holds, or one of the sockets is readable, and meanwhile acts as the service manager.

        Ended is raised when the process has ended instead."""
        deadline = time.monotonic() + LIMIT
        while not condition():
            # A condition outside of these descriptors is checked again soon.
            ready, _, _ = select.select([self.manager, self.process, *sockets], [], [], 0.005)
            if self.manager in ready:
                self.receive()
            elif set(ready) & set(sockets):
                return
            elif self.process in ready:
                self.reap()
                raise Ended
            if time.monotonic() > deadline:
                raise Fault(f"no {what} within {LIMIT} s")

    def reap(self) -> None:
        _, status = os.waitpid(self.pid, 0)
        os.close(self.process)
        self.status = os.waitstatus_to_exitcode(status)

    def receive(self) -> None:
        """Handles one datagram as the service manager does."""
        text, ancillary, _, _ = self.manager.recvmsg(1 << 16, socket.CMSG_SPACE(253 * 4))
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                descriptors.frombytes(data)
        lines = text.decode().splitlines()
        self.messages += lines
        name = next((line.removeprefix("FDNAME=") for line in lines if line.startswith("FDNAME=")), "stored")
        if "FDSTORE=1" in lines:
            for descriptor in descriptors:
                self.add_to_store(name, descriptor)
        else:
            for descriptor in descriptors:
                os.close(descriptor)
        if "FDSTOREREMOVE=1" in lines:
            for entry in [entry for entry in self.store if entry[0] == name]:
                self.store.remove(entry)
                os.close(entry[1])

    def add_to_store(self, name: str, descriptor: int) -> None:
        """What is stored already is not stored again."""
        if any(os.path.sameopenfile(descriptor, stored) for _, stored in self.store):
            os.close(descriptor)
        else:
            self.store.append((name, descriptor))

    # The clients

    def connect(self) -> VarlinkClient:
        try:
            return VarlinkClient(self.path)
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

    def restart(self) -> None:
        self.stop()
        self.start()

    def stop(self) -> None:
        self.send("SIGTERM")
        if (status := self.wait_for_end()) != 0:
            raise Fault(f"exit status {status} after SIGTERM")
