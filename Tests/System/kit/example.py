# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An example in a host, as its README says."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hosted_unit import HostedUnit

UNITS = "/run/systemd/system"


@contextmanager
def installed(
    host, folder: Path, units: list[str], files: dict[str, str], *, start: list[str], folders: list[str]
) -> Iterator[HostedUnit]:
    """The units and files of the example's folder in the host, and some of the units started. The first one is what tests use.
    At the end all units are stopped, and their files and the folders removed."""
    sources = {f"{UNITS}/{name}": name for name in units} | files
    for path, name in sources.items():
        host.write(path, (folder / name).read_text())
    # Tests start it more often than anything else would.
    restarts = f"{UNITS}/{units[0]}.d/restarts.conf"
    host.write(restarts, "[Unit]\nStartLimitIntervalSec=0\n")
    host.systemctl("daemon-reload")
    unit = HostedUnit(host, units[0])
    unit.skip_old_records()
    host.systemctl("start", *start)
    yield unit
    host.systemctl("stop", *units)
    for path in (restarts, *(f"{UNITS}/{name}" for name in units)):
        host.path(path).unlink()
    host.systemctl("daemon-reload")
    for path in folders:
        shutil.rmtree(host.path(path))
