# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What a service costs that does nothing, and its start."""

import contextlib
import time
from statistics import median

from .measure import Place, Row, Section, at_most
from .notify import NotifySocket
from .process import Process
from .servers import belfryd, dbus_daemon

MEMORY_GOAL_MB, START_GOAL = 9, 4
# READY=1 is sent before the last work of the start is done: the handlers of signals are looked at once, a second or two later.
SETTLE = 3


def idle(place: Place, seconds: int = 10) -> Section:
    """belfryd, dbus-daemon and a bare Swift program at the same time."""
    notify = NotifySocket(place)
    with contextlib.ExitStack() as stack:
        bare = stack.enter_context(Process([place.helpers / "BareProgram"], notify.environment))
        notify.wait_for_ready()
        bus, bus_path = dbus_daemon(place)
        stack.enter_context(bus).wait_for(bus_path)
        belfry, _ = belfryd(place, notify.environment)
        stack.enter_context(belfry)
        notify.wait_for_ready()
        time.sleep(SETTLE)

        before = belfry.wake_ups(), bus.wake_ups()
        time.sleep(seconds)
        wakes, bus_wakes = belfry.wake_ups() - before[0], bus.wake_ups() - before[1]
        ours, theirs, least = belfry.status(), bus.status(), bare.status()

    def memory(work: str, key: str, goal: int | None = None) -> Row:
        belfry, bus, bare = (status[key] / 1024 for status in (ours, theirs, least))
        return Row(work, f"{belfry:.1f} MB", f"bare Swift program {bare:.1f} MB, dbus-daemon {bus:.1f} MB",
                   f"{belfry - bare:.1f} MB above the bare program", at_most(belfry, goal, " MB") if goal else None)

    return Section("Idle: belfryd with all listeners, no watchdog", "what each instance takes from a host", [
        memory("resident memory", "VmRSS", MEMORY_GOAL_MB),
        memory("anonymous part of it", "RssAnon"),
        Row("threads", f"{ours['Threads']}", f"dbus-daemon {theirs['Threads']}", "", at_most(ours["Threads"], 1)),
        Row(f"wake-ups in {seconds} s", f"{wakes}", f"dbus-daemon {bus_wakes}", "", at_most(wakes, 0)),
    ])


def start(place: Place, repetitions: int = 25) -> Section:
    """From the creation of the process to READY=1, in turn with a bare Swift program."""
    def milliseconds(begin) -> float:
        notify = NotifySocket(place)
        before = time.monotonic_ns()
        with begin(notify.environment):
            notify.wait_for_ready()
            return (time.monotonic_ns() - before) / 1e6

    ours, least = [], []
    for _ in range(repetitions):
        ours.append(milliseconds(lambda environment: belfryd(place, environment)[0]))
        least.append(milliseconds(lambda environment: Process([place.helpers / "BareProgram"], environment)))
    belfry, bare = median(ours), median(least)
    return Section("Start", "how long a service delays the units after it", [
        Row("exec to READY=1, median", f"{belfry:.1f} ms", f"bare Swift program {bare:.1f} ms",
            f"{belfry / bare:.1f}x the bare program", at_most(belfry / bare, START_GOAL, "x")),
    ])
