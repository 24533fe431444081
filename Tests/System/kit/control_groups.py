# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Separate control groups for each host, so that two hosts, or two test runs, never share one."""

import os
import time
from contextlib import suppress
from pathlib import Path

PREFIX = "belfry-host-"


def hierarchies() -> list[Path]:
    """The mount points in which systemd-nspawn creates groups: cgroup v2, and v1's systemd hierarchy if there is one."""
    found: list[tuple[str, Path]] = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        fields = line.split()
        kind, options = fields[fields.index("-") + 1], fields[-1]
        if kind == "cgroup2" or (kind == "cgroup" and "name=systemd" in options.split(",")):
            found.append((kind, Path(fields[4])))
    # Only cgroup v2 can kill, so it comes first.
    return [path for _, path in sorted(found, reverse=True)]


def make(name: str) -> list[Path]:
    """Creates a group named after this process and `name` in every hierarchy."""
    groups = [hierarchy / f"{PREFIX}{os.getpid()}-{name}" for hierarchy in hierarchies()]
    for group in groups:
        group.mkdir()
    return groups


def remove(group: Path) -> None:
    """Kills what still runs in the group (only a host can have started it), and removes the group."""
    if (group / "cgroup.kill").exists():
        (group / "cgroup.kill").write_text("1")
    deadline = time.monotonic() + 10
    while group.exists():
        for folder, _, _ in os.walk(group, topdown=False):
            with suppress(OSError):
                os.rmdir(folder)
        if time.monotonic() > deadline:
            raise TimeoutError(f"unable to remove '{group}': its processes do not end")
        time.sleep(0.01)


def remove_stale() -> None:
    """Removes the groups of test runs that were killed, with the hosts that still run in them."""
    for hierarchy in hierarchies():
        for group in hierarchy.glob(f"{PREFIX}*"):
            owner = group.name.removeprefix(PREFIX).split("-")[0]
            if not Path("/proc", owner).exists():
                remove(group)
