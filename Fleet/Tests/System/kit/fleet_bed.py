# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Three hosts and an operator's machine, each with a booted systemd and Belfry, on a network with a broker with TLS."""

import os
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from bare_host import BareHost
from belfry_service import make
from fleet_broker import FleetBroker
from fleet_host import BRIDGE, VIEW, FleetHost, FleetOperator, configuration, prepare
from fleet_network import ADDRESS, FleetNetwork
from fleet_roots import LIBRARIES, fleet_root
from fleet_spy import NAME as SPY
from fleet_spy import SPY_RULES
from host_roots import machine_root
from mqtt_client import BROKER
from systemd_host import SystemdHost

HOSTS = ["h1", "h2", "h3"]
OPERATOR = "operator"
# A Debian 13; the others are this machine. It gets most of the commands, and is not killed, so its journal has all of them.
TRIXIE = "h1"


def number(name: str) -> int:
    """The last part of the address of a machine."""
    return [*HOSTS, OPERATOR].index(name) + 11


class FleetBed:
    """The network, the broker, the three hosts by name, and the operator's machine."""

    def __init__(self):
        self.network = FleetNetwork()
        self.broker = FleetBroker(self.network, SPY_RULES)
        self.machines: dict[str, SystemdHost] = {}
        self.hosts: dict[str, FleetHost] = {}

    def boot(self) -> None:
        """Starts the broker, and boots all machines at once. No service of Belfry runs."""
        names = [*HOSTS, OPERATOR]
        for name in [*names, SPY]:
            self.broker.certificates.add(name)
        self.broker.start()
        with TemporaryDirectory() as folder:
            # The folder itself has another mode than a root directory.
            installed = Path(folder) / "root"
            for target in ("install", "fleet-install"):
                make(target, installed)
            for name in names:
                root = fleet_root("trixie") if name == TRIXIE else machine_root()
                host = self.machines[name] = SystemdHost(name, root)
                shutil.copytree(installed, host.root, symlinks=True, dirs_exist_ok=True)
                (host.root / "etc/hostname").write_text(f"{name}\n")
                with open(host.root / "etc/hosts", "a") as file:
                    file.write(f"{ADDRESS} {BROKER}\n")
                prepare(host, self.broker, VIEW if name == OPERATOR else configuration(), name not in (TRIXIE, OPERATOR))
        for host in self.machines.values():
            host.begin_boot()
        for name, host in self.machines.items():
            host.finish_boot()
            self.connect(name)
        BareHost(self.machines[TRIXIE]).apt("install", "--no-install-recommends", *LIBRARIES)
        self.hosts = {name: FleetHost(self.machines[name]) for name in HOSTS}
        self.operator = FleetOperator(self.machines[OPERATOR])

    def start(self) -> None:
        """Starts Belfry everywhere, and returns when the view shows that all hosts are active."""
        for host in self.hosts.values():
            host.start()
        self.operator.host.systemctl("start", BRIDGE)
        self.wait_until_active()

    def reset(self) -> None:
        """As after the start: all machines run and are connected, with the configuration of the boot."""
        if self.broker.process.poll() is not None:
            self.broker.start()
        for name, host in self.hosts.items():
            if not Path(f"/proc/{host.host.leader}").exists():
                self.boot_again(name)
            self.network.join(host.host)
            host.reset()
        self.wait_until_active()

    def wait_until_active(self, seconds: float = 60) -> None:
        self.operator.wait_for_states(seconds, **dict.fromkeys(HOSTS, "active"))

    def connect(self, name: str) -> None:
        """Connects a machine that has booted."""
        self.network.connect(self.machines[name], number(name))

    def kill_host(self, name: str) -> None:
        """kill -9: all its processes end at once, and the kernel closes their connections."""
        os.kill(self.machines[name].leader, signal.SIGKILL)
        self.machines[name].wait_for_end()

    def boot_again(self, name: str) -> None:
        """Boots a host that was killed from its disk, and starts its services."""
        self.machines[name].boot_again()
        self.connect(name)
        self.hosts[name].start()

    def close(self) -> None:
        with ThreadPoolExecutor(len(self.machines) or 1) as pool:
            list(pool.map(SystemdHost.shut_down, self.machines.values()))
        self.broker.close()
        self.network.close()


@contextmanager
def fleet_bed() -> Iterator[FleetBed]:
    bed = FleetBed()
    try:
        bed.boot()
        yield bed
    finally:
        bed.close()
