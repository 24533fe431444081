# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A user of a host, whose service manager runs from the boot on."""

import subprocess

from systemd_host import CLEAN, SystemdHost


class HostedUser:
    """Makes the user, and starts the user's service manager."""

    def __init__(self, host: SystemdHost, name: str):
        self.host = host
        self.name = name
        self.home = f"/home/{name}"
        host.run("useradd", "--create-home", "--shell=/bin/sh", name)
        self.uid = host.run("id", "--user", name).stdout.strip()
        # logind of systemd 257 refuses a client from outside the host.
        host.run("systemd-run", "--quiet", "--wait", "--pipe", "loginctl", "enable-linger", name)
        host.systemctl("start", f"user@{self.uid}.service")

    def shell(self, command: str, check: bool = True) -> subprocess.CompletedProcess:
        """Runs a command line as after a login of the user."""
        session = [f"HOME={self.home}", f"USER={self.name}", f"XDG_RUNTIME_DIR=/run/user/{self.uid}", f"PATH={CLEAN['PATH']}"]
        become = ["setpriv", f"--reuid={self.name}", f"--regid={self.name}", "--init-groups"]
        return self.host.run(*become, "env", "--ignore-environment", *session, "sh", "-c", command, check=check)

    def property(self, unit: str, name: str) -> str:
        return self.shell(f"systemctl --user show --value --property={name} {unit}").stdout.strip()

    def remove(self) -> None:
        self.host.run("systemd-run", "--quiet", "--wait", "--pipe", "loginctl", "disable-linger", self.name)
        # Which also stops the service manager.
        self.host.systemctl("stop", f"user-runtime-dir@{self.uid}.service")
        self.host.run("userdel", "--remove", self.name)
