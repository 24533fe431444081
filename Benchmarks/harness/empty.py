# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the library adds to a service that does nothing of its own."""

import subprocess
import time

from .measure import Place, Row, Section
from .notify import NotifySocket
from .process import Process

SIZE_GOAL_MB = 2
MEMORY_GOAL_MB = 1


def _stripped_size(place: Place, program: str) -> float:
    copy = place.directory("stripped") / program
    subprocess.run(["strip", "-o", copy, place.helpers / program], check=True)
    return copy.stat().st_size / 2**20


def empty_service(place: Place) -> Section:
    """A service without a line of its own, the same with a socket, and the same program on a bare sd-event loop."""
    programs = ("EmptyService", "SocketService", "BareLoop")
    empty, serving, bare = (_stripped_size(place, program) for program in programs)
    notify = NotifySocket(place)
    private = place.directory("empty")
    environment = {**notify.environment, "XDG_RUNTIME_DIR": str(private), "XDG_STATE_HOME": str(private)}
    resident = []
    for program in programs:
        with Process([place.helpers / program], environment, log=private / program) as process:
            notify.wait_for_ready()
            # What follows READY=1 in the same turn of the loop is still the start.
            time.sleep(0.2)
            resident.append(process.status()["VmRSS"] / 1024)
    memory, serving_memory, bare_memory = resident
    return Section("Library: an empty service next to a bare sd-event loop", [
        _row("size, static and stripped", empty, bare, SIZE_GOAL_MB, 2),
        _row("resident memory", memory, bare_memory, MEMORY_GOAL_MB, 1),
        _row("size with a socket", serving, bare, None, 2),
        _row("resident memory with a socket", serving_memory, bare_memory, None, 1),
    ])


def _row(what: str, ours: float, bare: float, goal: int | None, digits: int) -> Row:
    texts = (f"{ours:.{digits}f} MB", f"bare sd-event loop in Swift {bare:.{digits}f} MB", f"{ours - bare:.2f} MB more")
    return Row(what, *texts) if goal is None else Row(what, *texts, f"< {goal} MB", ours - bare < goal)
