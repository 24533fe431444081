# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A service built on the library, run as a unit of a host, whose behaviour a test selects."""


from host_roots import PROJECT
from hosted_unit import HostedUnit
from systemd_host import SystemdHost

UNIT = "belfry-probe.service"
PROGRAM = "/usr/libexec/belfry-probe"
DEFAULTS = {"Type": "notify", "NotifyAccess": "main", "KillMode": "mixed", "RuntimeDirectory": "belfry-probe"}


class ProbeService(HostedUnit):
    """Installed for one test, and observed with systemctl and journalctl."""

    def __init__(self, host: SystemdHost):
        super().__init__(host, UNIT)
        host.install(PROJECT / ".build/release/ServiceProbe", PROGRAM)
        self.skip_old_records()

    def start(self, manner: str, *options: str, check: bool = True, **settings: str) -> None:
        """Starts the program with this behaviour and these [Service] settings; `options` are for systemctl."""
        lines = "".join(f"{key}={value}\n" for key, value in (DEFAULTS | settings).items())
        text = f"[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStart={PROGRAM} {manner}\n{lines}"
        self.host.write(f"/run/systemd/system/{UNIT}", text)
        # A unit that is wanted by an active one stays loaded after its end, with its properties.
        wanted = self.host.path(f"/run/systemd/system/basic.target.wants/{UNIT}")
        wanted.parent.mkdir(exist_ok=True)
        if not wanted.is_symlink():
            wanted.symlink_to(f"../{UNIT}")
        self.host.systemctl("daemon-reload")
        self.host.systemctl(*options, "start", UNIT, check=check)

    def remove(self) -> None:
        self.host.systemctl("stop", UNIT, check=False)
        self.host.systemctl("reset-failed", UNIT, check=False)
        for folder in ("", "basic.target.wants/"):
            self.host.path(f"/run/systemd/system/{folder}{UNIT}").unlink(missing_ok=True)
        self.host.systemctl("daemon-reload")

    def stop(self) -> None:
        self.host.systemctl("stop", UNIT)
