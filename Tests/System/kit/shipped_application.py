# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application that comes with Belfry, on a host whose server runs."""

from application import FOLDER, Application
from documentation import commands
from systemd_host import SystemdHost


class ShippedApplication(Application):
    """`belfryctl enable NAME`, for the server of Debian's package."""

    def __init__(self, host: SystemdHost, name: str, unit: str = ""):
        super().__init__(host, name, unit)
        self.skip_old_records()

    def drop_in(self, file: str, text: str) -> None:
        """Changes single keys. It takes effect when the application is enabled next."""
        self.host.write(f"{FOLDER}/{self.instance}.conf.d/{file}.conf", text)

    def enable(self) -> None:
        """Runs the commands of the page. The server runs on as the same process."""
        server = self.unit.main_pid()
        for command in commands(f"belfryctl enable {self.instance}"):
            self.host.run("sh", "-ec", command)
        self.wait_until_up()
        assert self.unit.main_pid() == server != 0

    def is_healthy(self) -> bool:
        return self.ctl("is-active", check=False).returncode == 0

    def remove(self) -> None:
        self.host.run("belfryctl", "disable", self.instance, check=False)
        self.host.run("rm", "-rf", f"{FOLDER}/{self.instance}.conf.d")
        super().remove()
