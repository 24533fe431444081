# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A belfry-fleetd that shows a fleet, without systemd, on the network of the broker."""

import os
import shutil
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import mkdtemp

from fleet_broker import PORT, FleetBroker
from fleet_network import ADDRESS
from mqtt_client import BROKER
from varlink_client import VarlinkClient

NAME = "operator"
CONFIGURATION = f"""
[Fleet]
Name={{fleet}}
Host={NAME}
View=yes
[Broker]
Url=mqtts://{BROKER}:{PORT}
"""
# The name of the broker is known to it alone.
START = "mount --make-rprivate /; mount --bind {folder}/hosts /etc/hosts; exec setpriv --pdeathsig KILL {program}"
CREDENTIALS = {"ca": "ca", "certificate": NAME, "key": "key"}


class FleetView:
    def __init__(self, broker: FleetBroker, program: str, fleet: str):
        self.broker, self.program = broker, Path(program).absolute()
        broker.certificates.add(NAME)
        self.folder = Path(mkdtemp(prefix="belfry-view-"))
        self.directories = {
            f"{kind.upper()}_DIRECTORY": self.folder / kind for kind in ("runtime", "state", "configuration", "credentials")
        }
        for directory in self.directories.values():
            directory.mkdir()
        (self.folder / "configuration/fleet.conf").write_text(CONFIGURATION.format(fleet=fleet))
        (self.folder / "hosts").write_text(f"127.0.0.1 localhost\n{ADDRESS} {BROKER}\n")
        for credential, file in CREDENTIALS.items():
            shutil.copy(broker.certificates.path(file), self.folder / f"credentials/belfry.{credential}")
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """It connects in its own time."""
        command = self.broker.network.enter(
            "unshare", "--mount", "sh", "-ec", START.format(folder=self.folder, program=self.program)
        )
        environment = os.environ | {key: str(path) for key, path in self.directories.items()}
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment)

    def close(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder)

    def hosts(self) -> dict[str, dict]:
        """The hosts other than the view's own, by name; none while there is no current view."""
        try:
            with VarlinkClient(self.folder / "runtime/io.belfry.Fleet") as client:
                listed = client.call("io.belfry.Fleet.List")
        except (FileNotFoundError, ConnectionRefusedError):
            return {}
        return {host["name"]: host for host in listed["hosts"] if host["name"] != NAME}

    def count(self) -> Counter[str]:
        """How many hosts are in each state."""
        return Counter(host["state"] for host in self.hosts().values())
