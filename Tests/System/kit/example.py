# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An example in a host, installed by the commands of its README."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from documentation import commands
from host_roots import PROJECT
from hosted_unit import HostedUnit
from systemd_host import SystemdHost

# Has what the commands copy. The host has no compiler: the programs are those that are built already.
SOURCES = "/srv/belfry"
UNITS = "/etc/systemd/system"


def install_program(host: SystemdHost, product: str) -> None:
    """Runs the commands of the README from the build of this product to the start of its unit."""
    for command in commands(f"--product {product}"):
        words = command.split()
        if words[0] == "install" and ".build/" in command:
            host.install(PROJECT / words[1].replace("/debug/", "/release/"), f"{SOURCES}/{words[1]}")
        if words[:2] != ["swift", "build"]:
            host.run("sh", "-ec", f"cd {SOURCES}; {command}")
        if " start " in command:
            return


@contextmanager
def installed(host: SystemdHost, name: str, product: str, *, folders: tuple[str, ...] = ()) -> Iterator[HostedUnit]:
    """The example of this name, whose service tests use. At the end its units are stopped, and they and the folders removed."""
    folder = PROJECT / "Examples" / name
    units = [path.name for path in sorted(folder.glob("*.service")) + sorted(folder.glob("*.socket"))]
    shutil.copytree(folder, host.path(f"{SOURCES}/Examples/{name}"), ignore=shutil.ignore_patterns(".build"), dirs_exist_ok=True)
    unit = HostedUnit(host, units[0])
    # Tests start it more often than anything else would.
    host.write(f"{UNITS}/{unit.name}.d/restarts.conf", "[Unit]\nStartLimitIntervalSec=0\n")
    unit.skip_old_records()
    install_program(host, product)
    yield unit
    host.systemctl("stop", *units)
    files = [f"{UNITS}/{name}" for name in units]
    host.run("rm", "-r", f"{files[0]}.d", *files, SOURCES, *folders)
    host.systemctl("daemon-reload")
