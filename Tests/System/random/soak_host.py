# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The host of the soak: what may happen there to the service, and what the service leaves there."""

import ctypes
import os
import random
import subprocess
from collections import deque
from contextlib import suppress
from math import inf

from belfry_service import SERVICE, BelfryService
from clock_double import ENVIRONMENT, ClockDouble
from fault import Fault

# The values of ConnectionsMax= in the configurations.
CONNECTIONS = [2000, 3000, 4096]
GOOD = "[Signals]\nRTMIN+5=org.example.doorbell\n[Socket]\nConnectionsMax={connections}\n"
# A syntax error, an unknown value, and a change that needs a restart.
BAD = ["[Signals\n", "[Logger]\nLevel=loud\n", "[Socket]\nReplaySize=2M\n"]
RING = 34 + 5
# The directories of the service, on file systems that a file fills. They may have these files.
DISKS = {"state": "/var/lib/belfry", "runtime": "/run/belfry"}
FILES = {"sequence", "last-word", "last-exit", "io.belfry.Lifecycle.lock"}
PRESSURE = "/run/soak-pressure"
# How often each interruption happens, compared with the others.
INTERRUPTIONS = {"restart": 3, "kill -9": 4, "stop and start": 1, "journald restart": 1}
# Seconds for everything that must happen.
PATIENCE = 60
UNIT = f"""
[Unit]
StartLimitIntervalSec=0
[Service]
Environment=MEMORY_PRESSURE_WATCH={PRESSURE} MEMORY_PRESSURE_WRITE= {ENVIRONMENT}
"""


class SoakHost:
    """Belfry on a host, and the double of its clock (see clock_double.c) and of the kernel's report of memory pressure."""

    def __init__(self, belfry: BelfryService):
        self.belfry, self.host = belfry, belfry.host
        self.pressure = -1
        self.libc = ctypes.CDLL(None, use_errno=True)

    def set_up(self) -> None:
        """Starts the service on small disks."""
        for folder in DISKS.values():
            self.host.run("mkdir", "-p", folder)
            self.host.run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", folder)
        self.host.run("mkfifo", "-m", "666", PRESSURE)
        # The fifo ends for the service when nobody has it open for writing.
        self.pressure = os.open(self.host.path(PRESSURE), os.O_RDWR | os.O_NONBLOCK)
        self.clock = ClockDouble(self.host)
        self.host.write(f"/run/systemd/system/{SERVICE}.d/soak.conf", UNIT)
        self.host.systemctl("daemon-reload")
        self.belfry.configure(GOOD.format(connections=CONNECTIONS[0]))
        self.belfry.start()

    def tear_down(self) -> None:
        self.host.systemctl("stop", SERVICE)
        for folder in DISKS.values():
            self.host.run("umount", "--lazy", folder)
        self.host.run("rm", "-f", PRESSURE)
        self.clock.remove()
        os.close(self.pressure)

    def signal(self, name: str, pid: int | None) -> None:
        """From a shell to this process, or else through systemd to the one that runs, if there is one."""
        if pid is None:
            self.host.systemctl("kill", "--kill-who=main", f"--signal={name}", SERVICE, check=False)
        else:
            self.host.run("sh", "-c", f"kill -{name} {pid}")

    def ring(self, outer_pid: int, value: int) -> bool:
        """Queues a signal with a value; returns whether the kernel's queue had room."""
        return self.libc.sigqueue(outer_pid, RING, ctypes.c_void_p(value)) == 0

    def press(self) -> str:
        """Reports memory pressure, and returns the notification that must follow."""
        with suppress(BlockingIOError):
            os.write(self.pressure, b"1")
        return "didReceiveMemoryWarning"

    def set_clock(self, usec: int) -> str | None:
        """Sets the clock on or back. Returns the notification that must follow, if there is a process that will see it."""
        return "significantTimeChange" if self.clock.move((usec, 0)) else None

    def sleep(self, usec: int) -> str | None:
        """The machine was asleep. Returns the same as `set_clock`."""
        return "didResume" if self.clock.move((usec, usec)) else None

    def set_zone(self, name: str) -> None:
        """Links another zone, as timedatectl does it. If it is the same zone, nothing follows."""
        link = f"ln -sf ../usr/share/zoneinfo/{name} /etc/localtime.new && mv -T /etc/localtime.new /etc/localtime"
        self.host.run("sh", "-c", link)

    def reload(self, connections: int, bad: str | None) -> bool:
        """Reloads a good or a bad configuration, and returns whether it was accepted. A good one remains."""
        good = GOOD.format(connections=connections)
        self.belfry.configure(bad or good)
        done = self.host.systemctl("reload", SERVICE, check=False)
        self.belfry.configure(good)
        return done.returncode == 0

    def fill(self, disk: str) -> bool:
        """Fills a disk, or frees it if it is full; returns whether it is full."""
        filler = self.host.path(f"{DISKS[disk]}/filler")
        if filler.exists():
            filler.unlink()
            return False
        with open(filler, "wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        return True

    def free_disks(self) -> None:
        for folder in DISKS.values():
            self.host.path(f"{folder}/filler").unlink(missing_ok=True)

    def strange_files(self) -> set[str]:
        """What the service has left in its directories, though it should not."""
        printed = self.host.run("find", *DISKS.values(), "-type", "f", "-printf", "%f\n").stdout
        return set(printed.split()) - FILES


class Interruption:
    """Commands that end the process, or that of journald, one after the other, while everything else goes on."""

    def __init__(self, belfry: BelfryService, pid: int, chance: random.Random):
        self.belfry, self.pid = belfry, pid
        self.kind = chance.choices(list(INTERRUPTIONS), list(INTERRUPTIONS.values()))[0]
        self.ends_process = self.kind != "journald restart"
        self.stops = self.kind == "stop and start"
        self.ended = inf
        # Whether somebody sends other signals meanwhile.
        self.is_signalled = False
        self.running: subprocess.Popen | None = None
        kill = ["systemctl", "kill", "--kill-who=main", "--signal=KILL", SERVICE]
        pause = ["sleep", f"{chance.uniform(0, 1):.2f}"]
        commands = {
            "restart": [["systemctl", "restart", SERVICE]],
            # Some come while the next process starts.
            "kill -9": [kill, *([pause, kill] * chance.choice([0, 0, 1, 2]))],
            "stop and start": [["systemctl", "stop", SERVICE], pause, ["systemctl", "start", SERVICE]],
            "journald restart": [["systemctl", "restart", "systemd-journald"]],
        }
        self.commands = deque(commands[self.kind])

    def advance(self) -> bool:
        """Starts the next command if none runs. Answers whether all are done, and the service answers."""
        if self.running and self.running.poll() is None:
            return False
        # A kill may come while there is no process. A signal before the process blocks signals ends it: a start then fails,
        # and is repeated.
        may_fail = self.kind == "kill -9" or self.is_signalled
        if self.running and self.running.returncode != 0 and not may_fail:
            raise Fault(f"{self.running.args} exited {self.running.returncode}")
        self.running = None
        if self.commands:
            command, null = self.belfry.host.enter(*self.commands.popleft()), subprocess.DEVNULL
            self.running = subprocess.Popen(command, stdin=null, stdout=null, stderr=null)
            return False
        # Only a process that lives answers, and none that was killed.
        try:
            with self.belfry.connect(timeout=PATIENCE) as client:
                state = client.call("GetState")
        except FileNotFoundError:
            if not (self.stops and self.is_signalled):
                raise
            # The stop has removed the socket, and a signal has ended the start, which is repeated.
            return False
        if (state["pid"] != self.pid) != self.ends_process:
            raise Fault(f"process {state['pid']} answers after {self.kind} of {self.pid}")
        self.belfry.wait_for(lambda: self.belfry.property("SubState") == "running", "run")
        return True
