# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From one publisher to many subscribers, over a Unix socket."""

import contextlib
import json
import subprocess

from . import servers
from .measure import Place, Row, Section, median
from .process import one_processor

SIZE, BATCH, REPETITIONS = 200, 50, 5
# Subscribers, and how many messages: enough to take some tens of milliseconds of the fastest server.
CASES = {1: 20_000, 100: 2_000, 1000: 200}
MEMORY_GOAL = 2048
PEERS = {
    "belfryd": (lambda place: servers.belfryd(place, logger=False), "varlink"),
    "Redis": (servers.redis, "redis"),
    "dbus-daemon": (servers.dbus_daemon, "dbus"),
    "mosquitto": (servers.mosquitto, "mqtt"),
}


def _run(place: Place, begin, protocol: str, subscribers: int, messages: int, batch: int) -> dict:
    """One run against a server of its own. Server and client share a processor: to write to somebody on another one
    costs up to twice as much, and which way it goes would be luck."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(one_processor())
        process, socket = begin(place)
        stack.enter_context(process)
        process.wait_for(socket)
        words = [protocol, socket, subscribers, messages, batch, SIZE, process.pid]
        run = subprocess.run(
            [place.helpers / "FanOutClient", *map(str, words)], capture_output=True, text=True, timeout=60)
        if run.returncode != 0:
            raise RuntimeError(f"fan-out from '{process.name}' to {subscribers}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def _rounds(place: Place, subscribers: int, messages: int, batch: int, names) -> dict:
    """Medians of what a delivery costs each server, in microseconds, and of bytes for each subscriber."""
    results = {name: [] for name in names}
    for _ in range(REPETITIONS):
        for name in names:
            results[name].append(_run(place, *PEERS[name], subscribers, messages, batch))
    return {
        name: (median([run["cpu_ns"] / run["deliveries"] / 1000 for run in runs]),
               median([run["bytes_per_subscriber"] for run in runs]))
        for name, runs in results.items()
    }


def fan_out(place: Place) -> Section:
    section = Section(f"Fan-out: server CPU per delivery, {SIZE} bytes, {BATCH} posts at a time")
    memory = {}
    for subscribers, messages in CASES.items():
        found = _rounds(place, subscribers, messages, BATCH, PEERS)
        cost = {name: microseconds for name, (microseconds, _) in found.items()}
        memory = {name: bytes for name, (_, bytes) in found.items()}
        ours = cost["belfryd"]
        for name, share in (("Redis", 1 if subscribers == 1 else 1 / 2), ("dbus-daemon", 1 / 20), ("mosquitto", None)):
            ratio = ours / cost[name]
            row = Row(f"to {subscribers}, next to {name}", f"{ours:.3f} us", f"{name} {cost[name]:.2f} us",
                      f"{ratio:.3f}x {name}")
            if share is not None and (name == "Redis" or subscribers > 1):
                row.goal, row.met = f"<= {share:.2f}x", ratio <= share
            section.rows.append(row)

    ours, *_ = (memory[name] for name in PEERS)
    section.rows.append(Row(
        "memory for each of 1000", f"{ours / 1024:.1f} KB",
        ", ".join(f"{name} {memory[name] / 1024:.1f} KB" for name in PEERS if name != "belfryd"),
        f"{ours / memory['dbus-daemon']:.2f}x dbus-daemon", f"<= {MEMORY_GOAL / 1024:.0f} KB", ours <= MEMORY_GOAL))
    return section


def one_at_a_time(place: Place) -> Section:
    """Nothing to gather: each post is a turn of its own."""
    found = _rounds(place, 100, 1000, 1, PEERS)
    cost = {name: microseconds for name, (microseconds, _) in found.items()}
    ours = cost["belfryd"]
    return Section("Fan-out to 100, one post at a time", [
        Row(f"one by one to 100, next to {name}", f"{ours:.3f} us", f"{name} {cost[name]:.2f} us", f"{ours / cost[name]:.3f}x {name}")
        for name in PEERS if name != "belfryd"
    ])
