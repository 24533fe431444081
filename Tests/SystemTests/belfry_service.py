# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Belfry as installed on a host, used as an operator and a client would."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from host_roots import PROJECT
from systemd_host import SystemdHost
from varlink_client import Subscriber, VarlinkClient

SERVICE = "belfryd.service"
SOCKET = "belfryd.socket"
ADDRESS = "/run/belfry/io.belfry.Lifecycle"
CONFIGURATION = "/etc/belfry/belfry.conf"
DROP_INS = f"/run/systemd/system/{SERVICE}.d"


class BelfryService:
    """What tests ask of belfryd: systemctl, belfryctl, the journal and the socket, and nothing else."""

    def __init__(self, host: SystemdHost):
        self.host = host
        self.cursor: str | None = None

    def install(self) -> str:
        """Runs `make install` into the host and what it says to run next; returns what it printed."""
        command = ["make", "--no-print-directory", "install", f"DESTDIR={self.host.root}", "PREFIX=/usr"]
        done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        self.host.run("systemd-sysusers")
        self.host.run("journalctl", "--update-catalog")
        self.host.systemctl("daemon-reload")
        return done.stdout

    def reset(self) -> None:
        """Brings back the state after installation; what was logged before is no longer seen by `journal`."""
        self.host.systemctl("stop", SOCKET, SERVICE)
        shutil.rmtree(self.host.path("/etc/belfry"), ignore_errors=True)
        shutil.rmtree(self.host.path(DROP_INS), ignore_errors=True)
        self.host.systemctl("reset-failed")
        self.host.systemctl("daemon-reload")
        self.cursor = self.host.journal("--lines=1")[-1]["__CURSOR"]

    def start(self) -> None:
        self.host.systemctl("start", SERVICE)

    def drop_in(self, **settings: str) -> None:
        """Changes the unit's [Service] section until the next reset."""
        lines = "".join(f"{key}={value}\n" for key, value in settings.items())
        self.host.write(f"{DROP_INS}/test.conf", f"[Service]\n{lines}")
        self.host.systemctl("daemon-reload")

    def use_notify_reload(self) -> None:
        """Puts the example drop-in for newer versions of systemd into force until the next reset."""
        example = self.host.path(f"/usr/share/doc/belfry/examples/{SERVICE}.d/notify-reload.conf")
        self.host.write(f"{DROP_INS}/notify-reload.conf", example.read_text())
        self.host.systemctl("daemon-reload")

    def configure(self, text: str) -> None:
        self.host.write(CONFIGURATION, text)

    def kill(self, signal: str) -> None:
        """`systemctl kill`, so that the sender is the host's PID 1."""
        self.host.systemctl("kill", "--kill-who=main", f"--signal={signal}", SERVICE)

    def ctl(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return self.host.run("belfryctl", *arguments, **options)

    def status(self) -> dict:
        return json.loads(self.ctl("status", "--json").stdout)

    def properties(self, *names: str) -> dict[str, str]:
        return self.host.properties(SERVICE, *names)

    def main_pid(self) -> int:
        """The daemon's process id as the host counts."""
        return int(self.properties("MainPID")["MainPID"])

    def process(self, name: str) -> str:
        """A file of the daemon's folder in the host's /proc."""
        return self.host.run("cat", f"/proc/{self.main_pid()}/{name}").stdout

    def socket_path(self) -> Path:
        return self.host.path(ADDRESS)

    def wait_until_inactive(self) -> None:
        """Returns when systemd has seen the service end."""
        self.wait_for(lambda: self.properties("ActiveState")["ActiveState"] in ("inactive", "failed"), "end")

    def wait_for_another(self, pid: int) -> int:
        """The process id of the active service that took the place of process `pid`."""

        def replaced() -> bool:
            now = self.properties("MainPID", "SubState")
            return now["SubState"] == "running" and now["MainPID"] not in ("0", str(pid))

        self.wait_for(replaced, f"take the place of process {pid}")
        return self.main_pid()

    def wait_for(self, question: Callable[[], bool], what: str, seconds: float = 30) -> None:
        """For what systemd offers no event: asks until the answer is yes."""
        deadline = time.monotonic() + seconds
        while not question():
            assert time.monotonic() < deadline, f"belfryd did not {what} in {seconds} s"
            time.sleep(0.05)

    def connect(self, **options) -> VarlinkClient:
        return VarlinkClient(self.socket_path(), **options)

    def subscribe(self, **parameters) -> Subscriber:
        return Subscriber(self.connect(), **parameters)

    def journal(self) -> list[dict]:
        """The records of the unit since the last reset, those of systemd about it included."""
        return self.host.journal(f"--unit={SERVICE}", after=self.cursor)

    def notifications(self) -> list[dict]:
        """The records that stand for a notification itself, not for a listener's outcome."""
        return [r for r in self.journal() if "BELFRY_NOTIFICATION" in r and "BELFRY_LISTENER" not in r]
