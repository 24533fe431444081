# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What it costs to do nothing, and to begin."""

import contextlib
import time

from .measure import Place, Row, Section, median
from .notify import NotifySocket
from .process import Process
from .servers import belfryd, dbus_daemon

MEMORY_GOAL_MB = 9
START_GOAL_MS = 8


def idle(place: Place, seconds: float = 10) -> Section:
    """Memory, threads and wake-ups of belfryd with every listener on, at the same time as its peers'."""
    notify = NotifySocket(place)
    with contextlib.ExitStack() as stack:
        bare = stack.enter_context(Process([place.helpers / "BareProgram"], notify.environment))
        notify.wait_for_ready()
        bus, bus_socket = dbus_daemon(place)
        stack.enter_context(bus)
        bus.wait_for(bus_socket)
        belfry, _ = belfryd(place, notify.environment)
        stack.enter_context(belfry)
        notify.wait_for_ready()
        # What follows READY=1 in the same turn of the loop is still the start.
        time.sleep(0.2)

        before = belfry.wake_ups(), bus.wake_ups()
        time.sleep(seconds)
        wakes, bus_wakes = belfry.wake_ups() - before[0], bus.wake_ups() - before[1]
        ours, theirs, least = belfry.status(), bus.status(), bare.status()

    memory = ours["VmRSS"] / 1024
    section = Section("Idle: belfryd with every listener on, no watchdog")
    section.rows += [
        Row("resident memory", f"{memory:.1f} MB",
            f"dbus-daemon {theirs['VmRSS'] / 1024:.1f} MB, bare Swift program {least['VmRSS'] / 1024:.1f} MB",
            f"{ours['VmRSS'] / theirs['VmRSS']:.1f}x dbus-daemon", f"<= {MEMORY_GOAL_MB} MB", memory <= MEMORY_GOAL_MB),
        Row("of it anonymous, its own", f"{ours['RssAnon'] / 1024:.1f} MB",
            f"dbus-daemon {theirs['RssAnon'] / 1024:.1f} MB, bare Swift program {least['RssAnon'] / 1024:.1f} MB",
            f"{ours['RssAnon'] / theirs['RssAnon']:.1f}x dbus-daemon"),
        Row("threads", f"{ours['Threads']}", f"dbus-daemon {theirs['Threads']}", "", "1", ours["Threads"] == 1),
        Row(f"wake-ups in {seconds:.0f} s", f"{wakes}", f"dbus-daemon {bus_wakes}", "", "0", wakes == 0),
    ]
    return section


def start(place: Place, repetitions: int = 25) -> Section:
    """From the start of the process to READY=1, in turn with an empty static Swift program."""
    notify = NotifySocket(place)

    def timed(begin) -> float:
        before = time.monotonic_ns()
        process = begin()
        notify.wait_for_ready()
        elapsed = (time.monotonic_ns() - before) / 1e6
        process.stop()
        notify.drain()
        return elapsed

    ours, least = [], []
    for _ in range(repetitions):
        ours.append(timed(lambda: belfryd(place, notify.environment)[0]))
        least.append(timed(lambda: Process([place.helpers / "BareProgram"], notify.environment)))
    belfry, bare = median(ours), median(least)
    return Section("Start", [
        Row("exec to READY=1, median", f"{belfry:.1f} ms", f"bare Swift program {bare:.1f} ms",
            f"{belfry / bare:.1f}x the bare program", f"<= {START_GOAL_MS} ms", belfry <= START_GOAL_MS),
    ])
