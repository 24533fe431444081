# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A double of the clocks of belfryd, because a container has none of its own. clock_double.c is the other side."""

import os
import subprocess

from host_roots import KIT
from systemd_host import SystemdHost

LIBRARY = "/usr/lib/belfry-clock-double.so"
SHIFT = "/run/belfry-clock-shift"
# For the unit of belfryd.
ENVIRONMENT = f"LD_PRELOAD={LIBRARY} CLOCK_DOUBLE={SHIFT}"


class ClockDouble:
    """A layer between belfryd and its clocks: shifts their time, and cancels the timer as the kernel does."""

    def __init__(self, host: SystemdHost):
        self.host = host
        command = ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", host.path(LIBRARY), KIT / "clock_double.c"]
        subprocess.run(command, check=True)
        host.run("mkfifo", "-m", "666", SHIFT)

    def move(self, *steps: tuple[int, int]) -> bool:
        """Moves the real time and the boot time on by all these microseconds, before belfryd can look at them. Answers whether there
        is a process that will see it."""
        try:
            descriptor = os.open(self.host.path(SHIFT), os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return False
        with open(descriptor, "w") as file:
            file.write("".join(f"{realtime} {boottime}\n" for realtime, boottime in steps))
        return True

    def remove(self) -> None:
        self.host.run("rm", "-f", SHIFT, LIBRARY)
