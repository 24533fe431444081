# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs that run during a test."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
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
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def memory(pid: int, kind: str = "VmRSS") -> int:
    """KiB of a process's memory; "VmHWM" for the most that it ever had."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{kind}:"))
