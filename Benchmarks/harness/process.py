# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Processes that the benchmark starts, and what the kernel says about them."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import time
from pathlib import Path


def allow_many_descriptors(count: int = 8192) -> None:
    """A thousand subscribers need a thousand descriptors in the server, and as many in the client."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextlib.contextmanager
def one_processor():
    """Processes that are started in this block stay on one processor, so that its choice does not change a result."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _is_ready(address: Path | int) -> bool:
    """Whether a socket, or a TCP port of loopback, accepts connections, or any other file exists."""
    if isinstance(address, int):
        family, target = socket.AF_INET, ("127.0.0.1", address)
    elif not address.exists():
        return False
    elif address.is_socket():
        family, target = socket.AF_UNIX, str(address)
    else:
        return True
    with socket.socket(family) as probe:
        return probe.connect_ex(target) == 0


class Process:
    """A process that ends with the block it was started for."""

    def __init__(self, arguments, environment=None, log=None):
        self.log = log
        # Debian keeps some servers in /usr/sbin, which is not on the PATH of every user.
        path = {"PATH": f"{os.environ['PATH']}:/usr/sbin", "LANG": "C.UTF-8"}
        with open(log or os.devnull, "wb") as output:
            self._process = subprocess.Popen(
                [str(argument) for argument in arguments], stdin=subprocess.DEVNULL, stdout=output,
                stderr=subprocess.STDOUT, env={**path, **(environment or {})})
        self.name = Path(str(arguments[0])).name
        self.pid = self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def wait(self, limit: float = 300) -> None:
        """Waits until the process has ended by itself."""
        if status := self._process.wait(timeout=limit):
            raise RuntimeError(f"'{self.name}' ended with {status}")

    def wait_for(self, address: Path | int, limit: float = 10) -> Path | int:
        """Waits until the process has made the file, or accepts connections on the socket or port, and returns it."""
        end = time.monotonic() + limit
        while not _is_ready(address):
            if self._process.poll() is not None or time.monotonic() > end:
                text = Path(self.log).read_text(errors="replace") if self.log else ""
                raise RuntimeError(f"unable to start '{self.name}': no '{address}' after {limit:.0f} s\n{text}")
            time.sleep(0.005)
        return address

    def status(self) -> dict:
        """`/proc/PID/status`, with numbers as numbers (sizes in KiB)."""
        found = {}
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            key, _, value = line.partition(":")
            words = value.split()
            found[key] = int(words[0]) if words and words[0].isdigit() else value.strip()
        return found

    def wake_ups(self) -> int:
        """The voluntary context switches of all its threads."""
        texts = [path.read_text() for path in Path(f"/proc/{self.pid}/task").glob("*/status")]
        return sum(int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("voluntary"))
