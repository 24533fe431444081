# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs that run during a test."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """The program. It is killed at the end of the block if it still runs."""
    with subprocess.Popen(command, text=True, **options) as program:
        try:
            yield program
        finally:
            program.kill()


@contextmanager
def running_group(command: list[str], **options) -> Iterator[None]:
    """The program, with what it starts. All are killed at the end of the block."""
    program = subprocess.Popen(command, process_group=0, **options)
    try:
        yield
    finally:
        os.killpg(program.pid, 9)
        program.wait()


def processor_time(pid: int) -> float:
    """The seconds of processor time that all threads of a process have used."""
    return schedule_times(pid)[0]


def schedule_times(pid: int) -> tuple[float, float]:
    """The seconds in which all threads of a process have run, and in which they were ready to run and others did."""
    times = [(0, 0)]
    for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        # A thread may have ended.
        with suppress(FileNotFoundError, ProcessLookupError):
            ran, waited, _ = task.read_text().split()
            times.append((int(ran), int(waited)))
    return tuple(sum(column) / 1e9 for column in zip(*times))


class Stopwatch:
    """Counts seconds, except those in which this process or one of the given ones was ready to run and others ran, so that
    the load of the machine does not count."""

    def __init__(self, *pids: int):
        self.pids = (os.getpid(), *pids)
        self.begin = self.now()

    def now(self) -> float:
        return time.monotonic() - sum(schedule_times(pid)[1] for pid in self.pids)

    @property
    def seconds(self) -> float:
        return self.now() - self.begin


def memory(pid: int, kind: str = "VmRSS") -> int:
    """KiB of a process's memory; "VmHWM" for the most that it ever had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))
