# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A program as a listener: its file, its unit and its records."""

import os
import shutil

from hosted_unit import HostedUnit

FOLDER = "/etc/belfry/listeners.d"


class ListenerUnit(HostedUnit):
    """belfry-listener@NAME.service."""

    def __init__(self, belfry, name: str):
        super().__init__(belfry.host, f"belfry-listener@{name}.service")
        self.belfry = belfry
        self.listener = name
        self.program = f"/usr/local/lib/belfry/{name}"
        self.drop_ins = f"/run/systemd/system/{self.name}.d"
        self.skip_old_records()

    def write(self, on: str, script: str, more: str = "") -> None:
        """Writes the program, a script with its first line, and the file of the listener."""
        self.host.write(self.program, script)
        self.host.path(self.program).chmod(0o755)
        self.host.write(f"{FOLDER}/{self.listener}.listener", f"[Listener]\nOn={on}\nExec={self.program}\n{more}")

    def drop_in(self, text: str) -> None:
        self.host.write(f"{self.drop_ins}/test.conf", text)
        self.host.systemctl("daemon-reload")

    def start(self) -> None:
        """Starts the unit, and returns when it is attached, if the service runs."""
        self.host.systemctl("start", self.name)
        if self.belfry.property("ActiveState") == "active":
            self.wait_until_attached()

    def wait_until_attached(self) -> None:
        self.wait_for(lambda: self.listener in [one["name"] for one in self.belfry.listeners()], "attach")

    def lines(self) -> list[str]:
        """What the program has written."""
        return [r["MESSAGE"] for r in self.journal() if r.get("SYSLOG_IDENTIFIER") == self.listener]

    def runs(self) -> list[str]:
        """The lines that begin with the name of a notification."""
        return [line for line in self.lines() if line.startswith("com.example.")]

    def has_line(self, text: str) -> bool:
        return any(text in line for line in self.lines())

    def wait_for_line(self, text: str) -> None:
        self.wait_for(lambda: self.has_line(text), f"write '{text}'")

    def groups(self) -> list[str]:
        """The control groups of runs."""
        group = self.host.path(f"/sys/fs/cgroup{self.property('ControlGroup')}")
        return sorted(path.name for path in group.glob("run-*"))

    def group_names(self) -> list[str]:
        """The names of all groups below that of the unit."""
        group = self.host.path(f"/sys/fs/cgroup{self.property('ControlGroup')}")
        return sorted(os.fsdecode(path.name) for path in group.iterdir() if path.is_dir())

    def remove(self) -> None:
        self.host.systemctl("disable", "--now", self.name, check=False)
        self.host.systemctl("reset-failed", check=False)
        shutil.rmtree(self.host.path(self.drop_ins), ignore_errors=True)
        shutil.rmtree(self.host.path(FOLDER), ignore_errors=True)
        self.host.systemctl("daemon-reload")
