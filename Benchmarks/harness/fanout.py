# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From one publisher to many subscribers."""

import json
import subprocess
from statistics import median

from . import servers
from .client import Client, call
from .measure import Place, Row, Section, at_most
from .process import one_processor

SIZE, BATCH, REPETITIONS = 200, 50, 5
# Subscribers, and the number of messages: enough for some tens of milliseconds of the fastest server.
CASES = {100: 2_000, 1000: 200}
# How to start each server, and its protocol.
PEERS = {
    "Redis": (servers.redis, "redis"),
    "NATS": (servers.nats, "nats"),
    "dbus-broker": (servers.dbus_broker, "dbus"),
    "dbus-daemon": (servers.dbus_daemon, "dbus"),
    "mosquitto": (servers.mosquitto, "mqtt"),
}
# The least that any server does: it writes the bytes of belfryd's messages, and nothing else.
LIMIT = "C loop"
ALL = {
    "belfryd": (lambda place: servers.belfryd(place, logger=False), "varlink"),
    LIMIT: (servers.write_loop, "raw"),
    **PEERS,
}
REDIS_GOAL, MEMORY_GOAL_KB = 0.5, 1.4


def _message_size(place: Place) -> int:
    """The bytes of a message of belfryd to a subscriber, for a payload of `SIZE` bytes."""
    process, path = servers.belfryd(place, logger=False)
    with process, Client(process.wait_for(path)) as client, Client(path) as publisher:
        client.call(call("Subscribe", more=True, names=["benchmark"]))
        publisher.call(call("Post", name="benchmark", userInfo={"payload": "x" * SIZE}))
        return len(client.receive_frame()) + 1


def _run(place: Place, name: str, subscribers: int, messages: int, batch: int, size: int) -> dict:
    """One run with a server that is started for it, on the same processor as the client."""
    start, protocol = ALL[name]
    with one_processor():
        process, address = start(place)
        with process:
            process.wait_for(address)
            words = [protocol, address, subscribers, messages, batch, size, process.pid]
            run = subprocess.run(
                [place.helpers / "FanOutClient", *map(str, words)], capture_output=True, text=True, timeout=60)
    if run.returncode != 0:
        raise RuntimeError(f"fan-out from {name} to {subscribers}: {run.stderr.strip()}")
    return json.loads(run.stdout)


def _medians(place: Place, subscribers: int, messages: int, batch: int) -> tuple[dict, dict]:
    """For each server, the microseconds of a delivery and the bytes of a subscriber. The servers take turns."""
    sizes = {LIMIT: _message_size(place)}
    runs = {name: [] for name in ALL}
    for _ in range(REPETITIONS):
        for name in ALL:
            runs[name].append(_run(place, name, subscribers, messages, batch, sizes.get(name, SIZE)))

    def medians(key: str) -> dict:
        return {name: median(run[key] for run in results) for name, results in runs.items()}

    return medians("microseconds"), medians("bytes_per_subscriber")


def _row(work: str, cost: dict, goal: float | None = None) -> Row:
    ours, redis = cost["belfryd"], cost["Redis"]
    peers = ", ".join(f"{name} {cost[name]:.2f}" for name in [LIMIT, *PEERS])
    return Row(work, f"{ours:.3f} us", f"{peers} us", f"{ours / redis:.2f}x Redis",
               at_most(ours / redis, goal, "x") if goal else None)


def fan_out(place: Place) -> Section:
    title = f"Fan-out: server CPU per delivery, {SIZE} bytes, {BATCH} posts at a time"
    section = Section(title, "how many programs can follow one service")
    memory = {}
    for subscribers, messages in CASES.items():
        cost, memory = _medians(place, subscribers, messages, BATCH)
        section.rows.append(_row(f"to {subscribers}", cost, REDIS_GOAL))
    cost, _ = _medians(place, 100, 1000, 1)
    section.rows.append(_row("one post at a time, to 100", cost))

    kilobytes = {name: bytes / 1024 for name, bytes in memory.items()}
    ours = kilobytes["belfryd"]
    section.rows.append(Row(
        "memory for each of 1000", f"{ours:.1f} KB", ", ".join(f"{peer} {kilobytes[peer]:.1f}" for peer in PEERS) + " KB",
        f"{ours / kilobytes['dbus-daemon']:.2f}x dbus-daemon", at_most(round(ours, 1), MEMORY_GOAL_KB, " KB")))
    return section
