# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A Debian with systemd on which Belfry is not installed."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from belfry_service import BelfryService
from systemd_host import SystemdHost

# Of a file in /etc that both sides have changed, dpkg keeps the administrator's, as in any update without an operator.
UNATTENDED = ["--yes", "--quiet", "--option=Dpkg::Options::=--force-confdef", "--option=Dpkg::Options::=--force-confold"]


class BareHost(BelfryService):
    """Installs and removes packages. It has no network: apt takes packages of Debian from those that the root directory has."""

    def apt(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.host.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", *UNATTENDED, *arguments)

    def install_packages(self, *packages: Path) -> subprocess.CompletedProcess:
        inside = [f"/var/tmp/{package.name}" for package in packages]
        for package, path in zip(packages, inside):
            shutil.copy(package, self.host.path(path))
        done = self.apt("install", "--allow-downgrades", "--no-install-recommends", *inside)
        for path in inside:
            self.host.path(path).unlink()
        return done

    def processes(self) -> list[str]:
        """The names of the processes of Belfry, also of those of users."""
        return self.host.run("sh", "-c", "cat /proc/[0-9]*/comm 2>/dev/null | grep ^belfry", check=False).stdout.split()

    def files(self) -> set[str]:
        """All files, except where apt, dpkg and systemd write at any installation, and the databases of users."""
        others = "/(dev|home|proc|sys|tmp|var/(cache|tmp|log|lib/(apt|dpkg))|etc/(passwd|group|g?shadow)-?)"
        options = ["-xdev", "-regextype", "posix-extended", "-regex", others, "-prune", "-o", "-print"]
        found = self.host.run("find", "/", *options)
        own = self.host.run("find", "/run", "/var/cache", "/var/log", "-name", "*belfry*")
        return {*found.stdout.splitlines(), *own.stdout.splitlines()}


@contextmanager
def booted(name: str, root: Path) -> Iterator[BareHost]:
    """A host with this root directory, for as long as the block lasts."""
    host = SystemdHost(name, root)
    try:
        host.boot()
        yield BareHost(host)
    finally:
        host.shut_down()
