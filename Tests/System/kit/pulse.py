# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A client that subscribes and posts while others misbehave, and measures the daemon meanwhile."""

import time

# By how much a client may make the daemon grow: its queue, its frame, and some room for the allocator.
BOUND = 12 << 20
# A bystander that waits longer, in seconds, is affected. Slow machines are allowed for.
NOTICED = 5


class PulsingClient:
    def __init__(self, belfry):
        self.belfry = belfry
        self.subscriber = belfry.subscribe(names=["org.example.pulse"])
        self.poster = belfry.connect()
        self.worst = 0.0
        self.missed = 0
        self.pid = belfry.main_pid()
        self.before = self.memory("VmRSS")

    def memory(self, key: str) -> int:
        return int(self.belfry.process_status()[key].split()[0]) << 10

    def pulse(self, count: int = 20) -> None:
        """Posts, and waits until it arrives."""
        for _ in range(count):
            begin = time.monotonic()
            sequence = self.poster.call("Post", {"name": "org.example.pulse"})["sequence"]
            notification = self.subscriber.next()
            self.worst = max(self.worst, time.monotonic() - begin)
            assert notification["sequence"] == sequence

    def figures(self, name: str, figures: list[str], *more: str) -> int:
        """Records the figures; returns by how much the daemon has grown at most."""
        assert self.belfry.main_pid() == self.pid
        assert self.worst < NOTICED
        grown = self.memory("VmHWM") - self.before
        now = self.memory("VmRSS") - self.before
        memory = f"peak {grown / 2**20:+.1f} MiB, after {now / 2**20:+.1f} MiB"
        figures.append(", ".join([f"{name}: {memory}", f"slowest pulse {self.worst * 1000:.1f} ms", *more]))
        return grown
