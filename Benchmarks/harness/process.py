# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Processes that the benchmark starts, and what the kernel knows of them."""

import contextlib
import os
import resource
import signal
import socket
import subprocess
import time
from pathlib import Path


def allow_many_descriptors(count: int = 8192) -> None:
    """A thousand subscribers need a thousand descriptors, on both sides."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


@contextlib.contextmanager
def one_processor():
    """What is started meanwhile stays on one processor, so that no result hangs on which one it happened to get."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _is_there(path: Path) -> bool:
    if not path.is_socket():
        return path.exists()
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(path)) == 0


class Process:
    """A process of ours. It ends with the block that it was started for."""

    def __init__(self, arguments, environment=None, log=None):
        self.log = log
        with open(log or os.devnull, "wb") as output:
            self._process = subprocess.Popen(
                [str(argument) for argument in arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **(environment or {})},
            )
        self.name = Path(str(arguments[0])).name
        self.pid = self._process.pid

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def wait(self, limit: float = 300) -> None:
        """Until it has ended of itself."""
        if status := self._process.wait(timeout=limit):
            raise RuntimeError(f"'{self.name}' ended with {status}")

    def wait_for(self, path: Path, limit: float = 10) -> None:
        """Waits until the process has made the file and, where it is a socket, accepts connections."""
        end = time.monotonic() + limit
        while not _is_there(path):
            if self._process.poll() is not None or time.monotonic() > end:
                text = Path(self.log).read_text(errors="replace") if self.log else ""
                raise RuntimeError(f"unable to start '{self.name}': no '{path}' after {limit:.0f} s\n{text}")
            time.sleep(0.005)

    def status(self) -> dict:
        """`/proc/PID/status`, numbers as numbers (sizes in KiB)."""
        found = {}
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            key, _, value = line.partition(":")
            words = value.split()
            found[key] = int(words[0]) if words and words[0].isdigit() else value.strip()
        return found

    def wake_ups(self) -> int:
        """How often its threads have gone to sleep of their own will."""
        texts = [path.read_text() for path in Path(f"/proc/{self.pid}/task").glob("*/status")]
        return sum(int(line.split()[1]) for text in texts for line in text.splitlines() if line.startswith("voluntary"))
