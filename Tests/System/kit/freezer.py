# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The freezer of the control group of a unit."""


def frozen_usec(belfry) -> int:
    """The frozen time that the kernel has counted for the unit's group."""
    group = belfry.property("ControlGroup")
    lines = belfry.host.run("cat", f"/sys/fs/cgroup{group}/cgroup.stat.local").stdout.splitlines()
    return int(dict(line.split() for line in lines)["frozen_usec"])


def freeze_and_thaw(belfry, seconds: float = 0.5, by_systemd: bool = True) -> int:
    """Freezes the unit for about this time; returns the microseconds that the kernel has counted. systemd freezes a unit only
    while it is active, not while it reloads."""
    before = frozen_usec(belfry)
    file = f"/sys/fs/cgroup{belfry.property('ControlGroup')}/cgroup.freeze"
    for verb, value in (("freeze", 1), ("thaw", 0)):
        if by_systemd:
            belfry.host.systemctl(verb, belfry.name)
        else:
            belfry.host.run("sh", "-c", f"echo {value} >{file}")
        if verb == "freeze":
            belfry.host.run("sleep", str(seconds))
    return frozen_usec(belfry) - before
