# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A service of the library's that behaves as a test asks, as a unit of a host."""

import os
import shutil
import time
from collections.abc import Callable

from host_roots import PROJECT
from systemd_host import SystemdHost

UNIT = "belfry-probe.service"
PROGRAM = "/usr/libexec/belfry-probe"
DEFAULTS = {"Type": "notify", "NotifyAccess": "main", "KillMode": "mixed", "RuntimeDirectory": "belfry-probe"}


class ProbeService:
    """Installed for one test; what it does is seen with systemctl and journalctl."""

    def __init__(self, host: SystemdHost):
        self.host = host
        program = host.path(PROGRAM)
        program.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROJECT / ".build/release/ServiceProbe", program)
        os.chmod(program, 0o755)
        self.cursor = host.journal("--lines=1")[-1]["__CURSOR"]

    def start(self, manner: str, check: bool = True, **settings: str) -> None:
        """Starts the program with this manner in a unit with these settings of [Service]."""
        lines = "".join(f"{key}={value}\n" for key, value in (DEFAULTS | settings).items())
        text = f"[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStart={PROGRAM} {manner}\n{lines}"
        self.host.write(f"/run/systemd/system/{UNIT}", text)
        # Wanted by what is there, it stays loaded after its end, with all that is known of it.
        wanted = self.host.path(f"/run/systemd/system/basic.target.wants/{UNIT}")
        wanted.parent.mkdir(exist_ok=True)
        if not wanted.is_symlink():
            wanted.symlink_to(f"../{UNIT}")
        self.host.systemctl("daemon-reload")
        self.host.systemctl("start", UNIT, check=check)

    def remove(self) -> None:
        self.host.systemctl("stop", UNIT, check=False)
        self.host.systemctl("reset-failed", UNIT, check=False)
        for folder in ("", "basic.target.wants/"):
            self.host.path(f"/run/systemd/system/{folder}{UNIT}").unlink(missing_ok=True)
        self.host.systemctl("daemon-reload")

    def kill(self, signal: str) -> None:
        self.host.systemctl("kill", "--kill-who=main", f"--signal={signal}", UNIT)

    def stop(self) -> None:
        self.host.systemctl("stop", UNIT)

    def properties(self, *names: str) -> dict[str, str]:
        return self.host.properties(UNIT, *names)

    def property(self, name: str) -> str:
        return self.properties(name)[name]

    def journal(self) -> list[dict]:
        """The records of the unit, and what systemd says of it, since the test began."""
        return self.host.journal(f"--unit={UNIT}", after=self.cursor)

    def messages(self) -> list[str]:
        return [record["MESSAGE"] for record in self.journal()]

    def wait_for(self, question: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """For what systemd offers no event: asks until the answer is yes."""
        deadline = time.monotonic() + seconds
        while not question():
            assert time.monotonic() < deadline, f"the probe did not {what} in {seconds} s: {self.messages()}"
            time.sleep(0.05)
