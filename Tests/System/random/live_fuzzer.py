# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Sends random calls to an installed service, as one user on many connections, and random signals.

    python3 Tests/System/random/live_fuzzer.py [--seconds 3600] [--seed NUMBER] [--host machine|trixie]

Meanwhile others must be served within a second. The service must be the same process, keep its memory limits, write no log line
that a client has begun, and exit with 0 in the end (see bystanders.py); then the next one is started. A failure prints the seed and
the last steps. It needs root and the release build.
"""

import ctypes
import json
import os
import random
import re
import signal
import sys
import time
from collections import deque
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "kit"))

from belfry_service import CACHE_TAG, BelfryService
from bystanders import GROWTH_OF_ONE, MIB, unharmed
from fault import Fault
from fuzzed_calls import FuzzedCalls
from host_run import run_on_host
from varlink_client import NOBODY, VarlinkClient
from varlink_methods import methods

CACHE = "/var/cache/belfry/fuzz"
# Every user may do everything, because the fuzzer is neither root nor the service's own user.
CONFIGURATION = """
[Service]
StopTimeout=2s
ListenerTimeout=1s
[Socket]
Look=all
Post=all
Control=all
{limits}
[Cache fuzz]
Path={cache}
FilesMax=10
"""
# What clients may make the service keep, and by how much it may grow with that: the limits by default, and narrow ones.
MEMORY = [("", GROWTH_OF_ONE), ("MemoryPerUserMax=4M\nMemoryMax=6M", 64 * MIB)]
SIGNALS = ["SIGUSR1", "SIGUSR2", "SIGHUP", "SIGTSTP", "SIGCONT", "SIGPWR", "SIGPIPE"]
CONTROLS = [0x100, 0x104, 0x107, 0x108, 0x200, 0x203, 0x204, 0x300, 0x301, 0x302, -1, 1 << 30]
CONNECTIONS = 40
BATCH = 300
TOKEN = re.compile(rb'"token":"([^"\\]{1,100})"')
SEQUENCE = re.compile(rb'"sequence":(\d{1,18})[,}]')


class LiveFuzzer:
    """The clients of one seed, and the life of one process."""

    def __init__(self, belfry: BelfryService, seed: int):
        self.belfry, self.seed = belfry, seed
        self.pid = belfry.outer_pid()
        self.chance = random.Random(seed)
        self.clients: list[VarlinkClient] = []
        self.done: deque[str] = deque(maxlen=40)
        self.calls = 0
        with belfry.connect() as client:
            self.made = FuzzedCalls(self.chance, *methods(client))

    def live(self, until: float, growth: int) -> int:
        """Returns how many calls were made until the clients have gone and the process has ended."""
        try:
            with unharmed(self.belfry, [], "random calls", growth):
                for _ in range(self.chance.randrange(10, 100)):
                    for _ in range(BATCH):
                        self.step()
                    if self.made.one_in(5):
                        self.close_all()
                    if time.monotonic() > until:
                        break
                # What they have not read is not memory that remains.
                self.close_all()
        except (Fault, AssertionError, OSError) as found:
            raise AssertionError("\n".join([*self.done, f"the seed is {self.seed}, call {self.calls}: {found}"])) from found
        finally:
            self.close_all()
        return self.calls

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
        client = self.belfry.connect(uid=NOBODY)
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
            ctypes.CDLL(None).sigqueue(self.pid, signal.SIGRTMIN + 18, ctypes.c_void_p(value & 0xFFFFFFFF))
        else:
            name = self.chance.choice(SIGNALS)
            self.done.append(name)
            os.kill(self.pid, signal.Signals[name])


def run(belfry: BelfryService, seconds: float, seed: int) -> list[str]:
    """Fuzzes for this time; returns a line that sums it up. A fault raises AssertionError with the seed and the last steps."""
    end, calls, lives = time.monotonic() + seconds, 0, 0
    make_cache = f"mkdir -p {CACHE} && echo '{CACHE_TAG}' >{CACHE}/CACHEDIR.TAG && chown -R belfry: {CACHE}"
    belfry.host.run("sh", "-c", make_cache)
    try:
        while time.monotonic() < end or lives == 0:
            # Each life reads its own records only.
            belfry.skip_old_records()
            limits, growth = MEMORY[lives % len(MEMORY)]
            belfry.configure(CONFIGURATION.format(limits=limits, cache=CACHE))
            belfry.start()
            calls += LiveFuzzer(belfry, seed + lives).live(end, growth)
            lives += 1
    finally:
        belfry.host.run("rm", "-r", CACHE)
    return [f"live fuzzer: {calls} calls to {lives} services"]


if __name__ == "__main__":
    run_on_host(__doc__, run)
