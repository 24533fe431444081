# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From one publisher to many subscribers."""

import json
import subprocess
from statistics import median

from . import servers
from .measure import Place, Row, Section, at_most
from .process import one_processor

SIZE, BATCH, REPETITIONS = 200, 50, 5
# Subscribers, and the number of messages: enough for some tens of milliseconds of the fastest server.
CASES = {1: 20_000, 100: 2_000, 1000: 200}
# For each peer: how to start it, its protocol, and the goals of the ratio to 1, 100 and 1000 subscribers.
PEERS = {
    "Redis": (servers.redis, "redis", {1: 1.2, 100: 0.5, 1000: 0.5}),
    "NATS": (servers.nats, "nats", {}),
    "dbus-broker": (servers.dbus_broker, "dbus", {}),
    "dbus-daemon": (servers.dbus_daemon, "dbus", {100: 0.05, 1000: 0.05}),
    "mosquitto": (servers.mosquitto, "mqtt", {}),
}
ALL = {"belfryd": (lambda place: servers.belfryd(place, logger=False), "varlink", {}), **PEERS}
MEMORY_GOAL_KB = 2


def _run(place: Place, name: str, subscribers: int, messages: int, batch: int) -> dict:
    """One run with a server that is started for it, on the same processor as the client."""
    start, protocol, _ = ALL[name]
    with one_processor():
        process, address = start(place)
        with process:
            process.wait_for(address)
            words = [protocol, address, subscribers, messages, batch, SIZE, process.pid]
            run = subprocess.run(
                [place.helpers / "FanOutClient", *map(str, words)], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise RuntimeError(f"fan-out from {name} to {subscribers}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def _medians(place: Place, subscribers: int, messages: int, batch: int) -> tuple[dict, dict]:
    """For each server, the microseconds of a delivery and the bytes of a subscriber. The servers take turns."""
    runs = {name: [] for name in ALL}
    for _ in range(REPETITIONS):
        for name in ALL:
            runs[name].append(_run(place, name, subscribers, messages, batch))

    def medians(key: str) -> dict:
        return {name: median(run[key] for run in results) for name, results in runs.items()}

    return medians("microseconds"), medians("bytes_per_subscriber")


def _row(work: str, cost: dict, peer: str, goal: float | None = None) -> Row:
    ours, theirs = cost["belfryd"], cost[peer]
    return Row(f"{work}, next to {peer}", f"{ours:.3f} us", f"{peer} {theirs:.2f} us", f"{ours / theirs:.3f}x {peer}",
               at_most(ours / theirs, goal, "x") if goal else None)


def fan_out(place: Place) -> Section:
    section = Section(f"Fan-out: server CPU per delivery, {SIZE} bytes, {BATCH} posts at a time")
    memory = {}
    for subscribers, messages in CASES.items():
        cost, memory = _medians(place, subscribers, messages, BATCH)
        section.rows += [
            _row(f"to {subscribers}", cost, peer, goals.get(subscribers)) for peer, (_, _, goals) in PEERS.items()]

    kilobytes = {name: bytes / 1024 for name, bytes in memory.items()}
    ours = kilobytes["belfryd"]
    section.rows.append(Row(
        "memory for each of 1000", f"{ours:.1f} KB", ", ".join(f"{peer} {kilobytes[peer]:.1f} KB" for peer in PEERS),
        f"{ours / kilobytes['dbus-daemon']:.2f}x dbus-daemon", at_most(ours, MEMORY_GOAL_KB, " KB")))
    return section


def one_at_a_time(place: Place) -> Section:
    cost, _ = _medians(place, 100, 1000, 1)
    return Section("Fan-out to 100, one post at a time", [_row("one by one to 100", cost, peer) for peer in PEERS])
