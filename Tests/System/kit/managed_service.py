# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A belfryd without systemd: this process has the service manager's part (sd_notify(3)) and keeps the descriptor store."""

import array
import ctypes
import fcntl
import os
import select
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fault import Fault
from private_service import DAEMON, PrivateService
from varlink_client import VarlinkClient

# Seconds for everything that must happen.
LIMIT = 30
# Nothing of the machine, and the same order of everything in each run.
ENVIRONMENT = {
    "TZ": "UTC",
    "SWIFT_DETERMINISTIC_HASHING": "1",
    "DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent/bus",
}
# Requests of ptrace(2).
SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17


class Ended(Exception):
    """The process has ended, perhaps as it should."""


class ManagedService(PrivateService):
    """A service over several processes, each of which gets what the one before has stored."""

    def __init__(self, folder: Path, configuration: str = ""):
        super().__init__(folder, configuration)
        self.log = folder / "log"
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.manager.bind(str(folder / "notify"))
        # What the process has sent to the service manager, and the descriptors in the store.
        self.messages: list[str] = []
        self.store: list[tuple[str, int]] = []
        self.status: int | None = None
        self.process = self.pid = 0

    def start(self, *wrapper: str) -> None:
        """Starts the next process, through this command, and waits until it is ready."""
        self.messages = []
        self.status = None
        self.log.write_bytes(b"")
        self.pid = os.fork()
        if self.pid == 0:
            self.execute(["setpriv", "--pdeathsig", "KILL", *wrapper, str(DAEMON), *self.options])
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

    def send(self, name: str) -> None:
        signal.pidfd_send_signal(self.process, signal.Signals[name])

    def wait_for_end(self) -> int:
        """Its exit status, or the negative number of the signal that has ended it."""
        try:
            self.wait_for(lambda: False, "its end")
        except Ended:
            pass
        return self.status

    def stop(self) -> None:
        self.send("SIGTERM")
        if (status := self.wait_for_end()) != 0:
            raise Fault(f"exit status {status} after SIGTERM")

    def kill(self) -> None:
        self.send("SIGKILL")
        self.wait_for_end()

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        """Ends what runs, and forgets what is stored."""
        if self.pid and self.status is None:
            self.kill()
        self.manager.close()
        self.discard_store()

    def discard_store(self) -> None:
        """As after "systemctl stop"."""
        for _, descriptor in self.store:
            os.close(descriptor)
        self.store = []

    @contextmanager
    def held(self) -> Iterator[None]:
        """The process runs no code during the block, and does not learn of that. So everything that is sent to it in the block is
        there at once, in this order, when it goes on."""
        self.trace_request(SEIZE)
        self.trace_request(INTERRUPT)
        os.waitpid(self.pid, 0)
        try:
            yield
        finally:
            self.trace_request(DETACH)

    def trace_request(self, request: int) -> None:
        ptrace = ctypes.CDLL(None, use_errno=True).ptrace
        ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
        if ptrace(request, self.pid, None, None) != 0:
            raise OSError(ctypes.get_errno(), "unable to hold the process")

    def connect(self) -> VarlinkClient:
        return VarlinkClient(self.path)

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
