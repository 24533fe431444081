# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The freezer of the control group of a unit."""


def frozen_usec(belfry) -> int:
    """The frozen time that the kernel has counted for the unit's group."""
    group = belfry.property("ControlGroup")
    lines = belfry.host.run("cat", f"/sys/fs/cgroup{group}/cgroup.stat.local").stdout.splitlines()
    return int(dict(line.split() for line in lines)["frozen_usec"])


def freeze_and_thaw(belfry, seconds: float = 0.5) -> int:
    """Freezes the unit for about this time; returns the microseconds that the kernel has counted."""
    before = frozen_usec(belfry)
    belfry.host.systemctl("freeze", belfry.name)
    belfry.host.run("sleep", str(seconds))
    belfry.host.systemctl("thaw", belfry.name)
    return frozen_usec(belfry) - before
