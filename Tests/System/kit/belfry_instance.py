# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An instance of belfryd on a host."""

import subprocess
from pathlib import Path

from belfry_service import BelfryService
from hosted_unit import HostedUnit
from systemd_host import SystemdHost


class BelfryInstance(BelfryService):
    """`belfryd@NAME.service`, used as `BelfryService` is."""

    def __init__(self, host: SystemdHost, instance: str):
        HostedUnit.__init__(self, host, f"belfryd@{instance}.service")
        self.instance = instance
        self.skip_old_records()

    def configure(self, text: str) -> None:
        self.host.write(f"/etc/belfry/instances/{self.instance}/belfry.conf", text)

    def ctl(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return self.host.run("belfryctl", "-i", self.instance, *arguments, **options)

    def socket_path(self) -> Path:
        return self.host.path(f"/run/belfry@{self.instance}/io.belfry.Lifecycle")

    def remove(self) -> None:
        self.host.systemctl("stop", self.name)
