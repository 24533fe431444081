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
    return sum(ran for ran, _ in schedule_times(pid).values())


def schedule_times(pid: int) -> dict[int, tuple[float, float]]:
    """The seconds in which each thread of a process has run, and in which it was ready to run and others did."""
    times = {}
    for file in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        # A thread may have ended.
        with suppress(FileNotFoundError, ProcessLookupError):
            ran, waited, _ = file.read_text().split()
            times[int(file.parent.name)] = (int(ran) / 1e9, int(waited) / 1e9)
    return times


class Stopwatch:
    """Counts seconds, except those in which a thread of this process or of one of the given ones was ready to run and others
    ran, so that the load of the machine does not count."""

    def __init__(self, *pids: int):
        self.pids = (os.getpid(), *pids)
        self.begin, self.waits = time.monotonic(), self.waited()

    def waited(self) -> dict[int, float]:
        return {task: waited for pid in self.pids for task, (_, waited) in schedule_times(pid).items()}

    @property
    def seconds(self) -> float:
        others = sum(waited - self.waits.get(task, 0) for task, waited in self.waited().items())
        return time.monotonic() - self.begin - others


def memory(pid: int, kind: str = "VmRSS") -> int:
    """KiB of a process's memory; "VmHWM" for the most that it ever had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))
