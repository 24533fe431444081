# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many hostile clients at once, which send given bytes without regard for the service: users who are nobody, members of the
service's group, one user or fifty."""

import json
import multiprocessing
import os
import resource
import select
import socket
import struct
import time
from contextlib import AbstractContextManager
from multiprocessing.connection import Connection
from pathlib import Path

from belfry_service import BelfryService
from socket_memory import enter_network
from varlink_client import credentials

# Users of the hostile clients; the bystanders are others.
FIRST = 40001
CHUNK = 1 << 16
# Seconds without any progress after which everything counts as done, and for all of it.
IDLE, LONGEST = 0.5, 60


def call(method: str, parameters: dict | None = None, **flags) -> bytes:
    """A request as it is sent; `method` may omit the interface io.belfry.Lifecycle."""
    name = method if "." in method else f"io.belfry.Lifecycle.{method}"
    return json.dumps({"method": name, "parameters": parameters or {}, **flags}, ensure_ascii=False).encode() + b"\0"


def raw_call(method: str, parameters: bytes, extra: bytes = b"") -> bytes:
    """A request with parameters as text, without the braces."""
    name = method if "." in method else f"io.belfry.Lifecycle.{method}"
    return b'{"method":"%s","parameters":{%s}%s}\0' % (name.encode(), parameters, extra)


class Attack:
    """The clients in their process, and what they have done so far."""

    def __init__(self, path: Path, payloads: list[bytes], rounds: int, groups: list[int], read: bool, anew: bool):
        self.path, self.rounds, self.groups, self.read, self.anew = path, rounds, groups, read, anew
        self.payloads = [(memoryview(payload), payload.count(0)) for payload in payloads]
        self.poller = select.epoll()
        self.clients: dict[int, Client] = {}
        self.done = dict.fromkeys(("connected", "refused", "closed", "sent", "replies", "errors"), 0)

    def run(self, connections: int, users: int) -> dict:
        begin = time.monotonic()
        for number in range(connections):
            Client(self, FIRST + number % users, *self.payloads[number % len(self.payloads)]).begin()
        self.moved = now = time.monotonic()
        events = []
        while now - begin < LONGEST and (events or now - self.moved < IDLE and not self.is_done()):
            events = self.poller.poll(IDLE / 5)
            for descriptor, event in events:
                if client := self.clients.get(descriptor):
                    client.proceed(event)
            now = time.monotonic()
        return {**self.done, "open": len(self.clients), "seconds": now - begin}

    def is_done(self) -> bool:
        return all(client.is_done() for client in self.clients.values())


class Client:
    """One connection at a time."""

    def __init__(self, attack: Attack, uid: int, payload: memoryview, calls: int):
        self.attack, self.uid, self.payload, self.calls = attack, uid, payload, calls
        self.round = 0

    def begin(self) -> None:
        self.sent = self.replies = 0
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("@ll", 20, 0))
        try:
            # The kernel notes the user at connect(2).
            with credentials(self.uid, self.attack.groups):
                self.socket.connect(self.attack.path.name)
        except OSError:
            self.attack.done["refused"] += 1
            return self.socket.close()
        self.attack.done["connected"] += 1
        self.socket.setblocking(False)
        self.attack.clients[self.socket.fileno()] = self
        self.attack.poller.register(self.socket, select.EPOLLOUT | (select.EPOLLIN if self.attack.read else 0))

    def end(self) -> None:
        del self.attack.clients[self.socket.fileno()]
        self.socket.close()

    def proceed(self, event: int) -> None:
        try:
            if event & ~select.EPOLLOUT:
                self.receive()
            if event & select.EPOLLOUT and self.sent < len(self.payload):
                self.transmit()
        except BlockingIOError:
            pass
        except OSError:
            self.attack.done["closed"] += 1
            self.attack.moved = time.monotonic()
            return self.end()
        is_answered = self.replies >= self.calls or not (self.attack.anew and self.attack.read)
        if self.sent == len(self.payload) and is_answered and self.round < self.attack.rounds:
            self.go_on()

    def receive(self) -> None:
        data = self.socket.recv(CHUNK)
        if not data:
            raise ConnectionResetError
        self.attack.moved = time.monotonic()
        self.replies += data.count(0)
        self.attack.done["replies"] += data.count(0)
        self.attack.done["errors"] += data.count(b'"error":')

    def transmit(self) -> None:
        count = self.socket.send(self.payload[self.sent : self.sent + CHUNK], socket.MSG_NOSIGNAL)
        self.attack.moved = time.monotonic()
        self.sent += count
        self.attack.done["sent"] += count

    def go_on(self) -> None:
        """The payload is sent: begins the next round, if there is one."""
        self.round += 1
        if self.attack.anew:
            self.end()
            if self.round < self.attack.rounds:
                self.begin()
        elif self.round < self.attack.rounds:
            self.sent = 0
        else:
            self.attack.poller.modify(self.socket, select.EPOLLIN if self.attack.read else 0)

    def is_done(self) -> bool:
        return self.round == self.attack.rounds and (not self.attack.read or self.replies >= self.calls * self.attack.rounds)


def attack(control: Connection, leader: int, path: Path, payloads: list[bytes], connections: int, users: int, *how) -> None:
    """Sends what was done, and keeps what is open until it is killed."""
    # A lower priority, because the test measures the service and not the scheduler.
    os.nice(10)
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # So that the sockets can be told from those of other hosts.
    enter_network(leader)
    # The path is too long for an address.
    os.chdir(path.parent)
    control.send(Attack(path, payloads, *how).run(connections, users))
    control.poll(None)


class HostileClients(AbstractContextManager):
    """Clients that have sent `payloads` when the block begins, and disconnect when it ends.

    There are `connections` in total, from `users` different users, who are members of the service's group if `privileged`.
    Each connection sends one of the payloads, `rounds` times: on the same connection, or with `anew` on a new one each
    time. Unless they `read`, all replies stay in the kernel.
    """

    def __init__(
        self,
        belfry: BelfryService,
        payloads: list[bytes],
        connections: int = 1,
        *,
        users: int = 1,
        rounds: int = 1,
        privileged: bool = False,
        read: bool = False,
        anew: bool = False,
    ):
        context = multiprocessing.get_context("fork")
        self.control, theirs = context.Pipe()
        who = (belfry.host.leader, belfry.socket_path(), payloads, connections, users)
        how = (rounds, [belfry.group()] if privileged else [], read, anew)
        self.process = context.Process(target=attack, args=(theirs, *who, *how), daemon=True)
        self.process.start()
        theirs.close()

    def __enter__(self) -> dict:
        """Their results: how many `connected`, were `refused` or `closed`, and what they `sent` and received."""
        try:
            assert self.control.poll(2 * LONGEST), "the hostile clients do not come to an end"
            return self.control.recv()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.join()
        self.control.close()


def assail(belfry: BelfryService, payloads: list[bytes], connections: int = 1, **options) -> dict:
    """Hostile clients that do it once and disconnect; returns their results."""
    with HostileClients(belfry, payloads, connections, **options) as done:
        return done
