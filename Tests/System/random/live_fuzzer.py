# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Sends random calls to a running service, as one user on many connections, and random signals.

    python3 Tests/System/random/live_fuzzer.py --seconds 3600 [--seed NUMBER] [--daemon PATH]

After each batch the service must answer a new call within a second, be the same process, keep its memory limits, and have
written no log line that a client has begun; at the end it must exit with 0. A failure prints the seed and the last steps. The
fuzzer starts this service in a folder of its own, and removes the folder afterwards.
"""

import argparse
import json
import os
import random
import re
import sys
import tempfile
import time
from collections import deque
from contextlib import suppress
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kit"))

from fuzzed_calls import FuzzedCalls
from live_service import LiveService
from private_service import DAEMON
from soak_model import Fault
from varlink_client import NOBODY, VarlinkClient
from varlink_methods import methods

SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGHUP", "SIGTSTP", "SIGCONT", "SIGPWR", "SIGPIPE"]
# Not the kernel's log, which is the machine's.
CONTROLS = [0x100, 0x104, 0x107, 0x108, 0x200, 0x203, 0x204, 0x300, 0x301, 0x302, -1, 1 << 30]
CONNECTIONS = 40
BATCH = 300
TOKEN = re.compile(rb'"token":"([^"\\]{1,100})"')
SEQUENCE = re.compile(rb'"sequence":(\d{1,18})[,}]')


class LiveFuzzer:
    """The clients of one seed."""

    def __init__(self, service: LiveService, seed: int):
        self.service = service
        self.chance = random.Random(seed)
        self.clients: list[VarlinkClient] = []
        self.done: deque[str] = deque(maxlen=40)
        self.calls = 0
        with VarlinkClient(service.path) as client:
            self.made = FuzzedCalls(self.chance, *methods(client))

    def batch(self) -> None:
        for _ in range(BATCH):
            self.step()
        self.service.check()

    def step(self) -> None:
        action = self.chance.randrange(100)
        if len(self.clients) < 3 or (action < 12 and len(self.clients) < CONNECTIONS):
            self.connect()
        elif action < 20:
            self.close(self.chance.choice(self.clients))
        elif action < 40:
            self.receive(self.chance.choice(self.clients))
        elif action < 43:
            self.send_signal()
        elif action < 50:
            count = self.chance.randrange(2, 30)
            self.send(b"".join(self.made.call() for _ in range(count))[: 4 << 20], f"{count} calls")
        elif action < 56:
            frame = self.made.call()
            self.send(frame[: self.chance.randrange(len(frame))], "the beginning of")
        else:
            self.send(self.made.call(), "call")

    def connect(self) -> None:
        client = VarlinkClient(self.service.path, uid=NOBODY if os.geteuid() == 0 else 0)
        client.socket.settimeout(0)
        self.clients.append(client)
        self.done.append(f"{client.socket.fileno()}: connect")

    def close(self, client: VarlinkClient) -> None:
        self.done.append(f"{client.socket.fileno()}: close")
        self.clients.remove(client)
        client.socket.close()

    def close_all(self) -> None:
        while self.clients:
            self.close(self.clients[-1])

    def send(self, data: bytes, what: str) -> None:
        """Sends as much as the socket accepts."""
        client = self.chance.choice(self.clients)
        words = repr(data) if len(data) < 300 else f"{data[:300]!r}... of {len(data)} bytes"
        self.done.append(f"{client.socket.fileno()}: {what} {words}")
        self.calls += 1
        try:
            client.socket.send(data)
        except BlockingIOError:
            pass
        except OSError:
            self.close(client)

    def receive(self, client: VarlinkClient) -> None:
        """Reads what has arrived, which must be valid frames."""
        frames = client.arrived(1 << 18)
        if frames is None:
            return self.close(client)
        for frame in frames:
            try:
                json.loads(frame)
            except ValueError as failure:
                raise Fault(f"the service replied {frame[:300]!r}: {failure}") from failure
            self.made.tokens.extend(token.decode() for token in TOKEN.findall(frame)[:3])
            self.made.numbers.extend(int(number) for number in SEQUENCE.findall(frame)[:3])

    def send_signal(self) -> None:
        if self.made.one_in(4):
            value = self.chance.choice(CONTROLS)
            self.done.append(f"control {value:#x}")
            self.service.control(value)
        else:
            name = self.chance.choice(SIGNALS)
            self.done.append(name)
            self.service.signal(name)


def run(daemon: Path, seconds: float, seed: int) -> str:
    """Fuzzes for this time; returns a summary. A fault raises AssertionError with the seed and the last steps."""
    end, calls, batches, lives = time.monotonic() + seconds, 0, 0, 0
    while time.monotonic() < end or lives == 0:
        with tempfile.TemporaryDirectory(prefix="live-fuzzer-") as folder:
            service = LiveService(daemon, Path(folder))
            fuzzer = LiveFuzzer(service, seed)
            try:
                # Some runs of the service end with clients connected, others without.
                for _ in range(fuzzer.chance.randrange(5, 40)):
                    fuzzer.batch()
                    batches += 1
                    if fuzzer.made.one_in(5):
                        fuzzer.close_all()
                        service.check_remains()
                    if time.monotonic() > end:
                        break
                service.stop()
            except Fault as found:
                steps = "\n".join(fuzzer.done)
                raise AssertionError(f"{steps}\nthe seed is {seed}, call {fuzzer.calls}: {found}") from None
            finally:
                fuzzer.close_all()
                service.kill()
        calls += fuzzer.calls
        lives += 1
        seed += 1
    return f"{calls} calls in {batches} batches to {lives} services"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--seconds", type=float, default=30)
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments.add_argument("--daemon", type=Path, default=DAEMON)
    given = arguments.parse_args()
    print(f"seed {given.seed}", flush=True)
    with suppress(KeyboardInterrupt):
        try:
            print(run(given.daemon, given.seconds, given.seed))
        except AssertionError as found:
            sys.exit(str(found))


if __name__ == "__main__":
    main()
