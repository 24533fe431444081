# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application: a unit, the file that gives it a lifecycle, and what both have done."""

import shutil
from pathlib import Path

from belfry_instance import BelfryInstance
from hosted_unit import HostedUnit
from systemd_host import SystemdHost

FOLDER = "/etc/belfry/applications"
VERBS = ["Start", "Pause", "Resume", "CheckReload", "Reload", "Stop", "Flush", "MemoryWarning", "Sleep", "Wake"]


class Application(BelfryInstance):
    """`belfryd@NAME.service`, which stands for the unit NAME.service. Each of its commands writes its verb into a file."""

    def __init__(self, host: SystemdHost, name: str = "shop", unit: str = "", options: str = "", **commands: str):
        super().__init__(host, name)
        self.unit = HostedUnit(host, unit or f"{name}.service")
        self.listener = HostedUnit(host, f"belfry-listener@{name}.service")
        self.log = Path(f"/srv/{name}.log")
        self.gate = Path(f"/srv/{name}.closed")
        self.clear()
        self.commands = {verb: f"/bin/sh -c 'echo {verb} >>{self.log}'" for verb in VERBS} | commands
        self.options = options

    @property
    def file(self) -> str:
        return f"{FOLDER}/{self.instance}.conf"

    def write_unit(self, more: str = "") -> None:
        """A unit that does nothing until it is stopped, and writes when it ends."""
        self.host.write(
            f"/run/systemd/system/{self.unit.name}",
            f"[Service]\nExecStart=/bin/sleep infinity\nExecStopPost=/bin/sh -c 'echo unit ended >>{self.log}'\n{more}",
        )

    def write(self, user: str = "root") -> None:
        self.write_file(user)
        self.host.systemctl("daemon-reload")

    def write_file(self, user: str = "root") -> None:
        """Without `User=` if the user is empty."""
        who = f"User={user}\n" if user else ""
        commands = "".join(f"{verb}={command}\n" for verb, command in self.commands.items() if command)
        text = f"[Application]\nUnit={self.unit.name}\n{who}{self.options}\n[On]\n{commands}"
        self.host.write(self.file, text)

    @property
    def at_gate(self) -> str:
        """What a command runs that waits while the gate is closed."""
        return f"while test -e {self.gate}; do sleep 0.1; done"

    def close_gate(self) -> None:
        self.host.write(str(self.gate), "")

    def open_gate(self) -> None:
        self.host.path(str(self.gate)).unlink(missing_ok=True)

    def begin(self) -> None:
        """Starts the unit, and with it the rest."""
        self.host.systemctl("start", self.unit.name)
        self.wait_until_up()

    def wait_until_up(self, seconds: float = 30) -> None:
        is_up = lambda: self.property("ActiveState") == "active" and self.is_attached()  # noqa: E731
        self.wait_for(is_up, "stand for its application", seconds)

    def state(self) -> str:
        return self.status()["state"]

    def is_attached(self) -> bool:
        return self.instance in [one["name"] for one in self.listeners()]

    def done(self) -> list[str]:
        """What was done so far, one line for each command and each end of the unit."""
        path = self.host.path(str(self.log))
        return path.read_text().split("\n")[:-1] if path.exists() else []

    def clear(self) -> None:
        self.host.path(str(self.log)).unlink(missing_ok=True)

    def says(self, text: str) -> bool:
        return any(text in record.get("MESSAGE", "") for record in self.journal())

    def listener_says(self, text: str) -> bool:
        return any(text in record.get("MESSAGE", "") for record in self.listener.journal())

    def remove(self) -> None:
        self.open_gate()
        self.host.systemctl("stop", self.unit.name, self.name, self.listener.name, check=False)
        # The pause, the failed stop and the health that the next run would know.
        for folder in ("/run", "/var/lib"):
            shutil.rmtree(self.host.path(f"{folder}/belfry@{self.instance}"), ignore_errors=True)
        for path in (self.file, f"/run/systemd/system/{self.unit.name}", str(self.log)):
            self.host.path(path).unlink(missing_ok=True)
        self.host.systemctl("daemon-reload")
        self.host.systemctl("reset-failed", check=False)
