# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the library adds to a program."""

import time

from .idle import SETTLE
from .measure import Place, Row, Section, at_most
from .notify import NotifySocket
from .process import Process

SIZE_GOAL_MB, MEMORY_GOAL_MB = 2.2, 0.5


def _measure(place: Place, name: str) -> tuple[float, float]:
    """Size and resident memory of a program, in MB."""
    notify = NotifySocket(place)
    private = place.directory(name)
    program = place.stripped(place.helpers / name)
    environment = {**notify.environment, "XDG_RUNTIME_DIR": str(private), "XDG_STATE_HOME": str(private)}
    with Process([program], environment, log=private / "log") as process:
        notify.wait_for_ready()
        time.sleep(SETTLE)
        return program.stat().st_size / 2**20, process.status()["VmRSS"] / 1024


def empty_service(place: Place) -> Section:
    bare = _measure(place, "BareLoop")

    def rows(program: str, suffix: str, goals: tuple) -> list[Row]:
        values = zip(("size, static and stripped", "resident memory"), _measure(place, program), bare, goals)
        return [
            Row(what + suffix, f"{ours:.2f} MB", f"bare sd-event loop in Swift {least:.2f} MB", f"{ours - least:.2f} MB more",
                at_most(ours - least, goal, " MB") if goal else None)
            for what, ours, least, goal in values]

    return Section("Library: an empty service next to a bare sd-event loop", "what the library adds to a program", [
        *rows("EmptyService", "", (SIZE_GOAL_MB, MEMORY_GOAL_MB)),
        *rows("SocketService", ", with a socket", (None, None)),
    ])
