# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the library adds to a service that does nothing of its own."""

import contextlib
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
    """A service without a line of its own, next to the same program on a bare sd-event loop."""
    ours, theirs = (_stripped_size(place, program) for program in ("EmptyService", "BareLoop"))
    notify = NotifySocket(place)
    private = place.directory("empty")
    environment = {**notify.environment, "XDG_RUNTIME_DIR": str(private), "XDG_STATE_HOME": str(private)}
    with contextlib.ExitStack() as stack:
        resident = []
        for program in ("EmptyService", "BareLoop"):
            process = stack.enter_context(Process([place.helpers / program], environment, log=private / program))
            notify.wait_for_ready()
            resident.append(process)
        # What follows READY=1 in the same turn of the loop is still the start.
        time.sleep(0.2)
        memory, bare = (process.status()["VmRSS"] / 1024 for process in resident)
    added, more = ours - theirs, memory - bare
    return Section("Library: an empty service next to a bare sd-event loop", [
        Row("size, static and stripped", f"{ours:.2f} MB", f"bare sd-event loop in Swift {theirs:.2f} MB",
            f"{added:.2f} MB more", f"< {SIZE_GOAL_MB} MB", added < SIZE_GOAL_MB),
        Row("resident memory", f"{memory:.1f} MB", f"bare sd-event loop in Swift {bare:.1f} MB",
            f"{more:.1f} MB more", f"< {MEMORY_GOAL_MB} MB", more < MEMORY_GOAL_MB),
    ])
