# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A double of a directory server for users and groups. name_service_double.c is the other side."""

import shutil
import subprocess

from host_roots import KIT
from systemd_host import SystemdHost

LIBRARY = "/usr/lib/libnss_double.so.2"
FOLDER = "/etc/name-service-double"
SWITCH = "/etc/nsswitch.conf"


class NameServiceDouble:
    """The host asks it for each user and group that its files do not have, until `remove`."""

    def __init__(self, host: SystemdHost, groups: dict[str, int]):
        self.host = host
        self.folder, self.switch = host.path(FOLDER), host.path(SWITCH)
        source = KIT / "name_service_double.c"
        command = ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", host.path(LIBRARY), source]
        subprocess.run(command, check=True)
        host.write(f"{FOLDER}/group", "".join(f"{name}:x:{number}:\n" for name, number in groups.items()))
        self.before = self.switch.read_text() if self.switch.exists() else ""
        others = [line for line in self.before.splitlines() if not line.startswith(("passwd:", "group:"))]
        self.switch.write_text("\n".join(["passwd: files double", "group: files double", *others, ""]))

    def go_away(self) -> None:
        """From now on nobody gets an answer."""
        (self.folder / "away").touch()

    def come_back(self) -> None:
        """Answers all who wait."""
        (self.folder / "away").unlink(missing_ok=True)

    def remove(self) -> None:
        self.come_back()
        self.switch.write_text(self.before)
        self.host.path(LIBRARY).unlink()
        shutil.rmtree(self.folder)
