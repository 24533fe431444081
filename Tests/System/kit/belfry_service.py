# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Belfry as installed on a host, used as an operator and a client would."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from host_roots import PROJECT
from hosted_unit import HostedUnit
from systemd_host import SystemdHost
from varlink_client import Subscriber, VarlinkClient

SERVICE = "belfryd.service"
ADDRESS = "/run/belfry/io.belfry.Lifecycle"
CONFIGURATION = "/etc/belfry/belfry.conf"
DROP_INS = f"/run/systemd/system/{SERVICE}.d"
# The first line of a CACHEDIR.TAG.
CACHE_TAG = "Signature: 8a477f597d28d172789f06886806bc55"
# A configuration that maps a signal for tests.
DOORBELL = "[Signals]\nRTMIN+5=org.example.doorbell\n"


def make(target: str, destination: Path, prefix: str = "/usr") -> str:
    """Runs `make TARGET` with what is built already, and returns its output."""
    settings = [f"DESTDIR={destination}", f"PREFIX={prefix}", "SWIFT=true"]
    command = ["make", "--no-print-directory", target, *settings]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def has_bus(host: SystemdHost, pid: str) -> bool:
    return pid in host.run("busctl", "list", "--no-pager").stdout.split()


class BelfryService(HostedUnit):
    """belfryd as tests use it: through systemd, belfryctl and the socket."""

    def __init__(self, host: SystemdHost):
        super().__init__(host, SERVICE)

    def install(self) -> str:
        """Runs `make install` into the host and the commands that it prints; returns its output."""
        printed = make("install", self.host.root)
        self.kill_what_calls_more()
        self.host.run("systemd-sysusers")
        self.host.run("systemd-tmpfiles", "--create", "belfry.conf")
        self.host.run("journalctl", "--update-catalog")
        # As for a unit that is enabled: systemd keeps it loaded, and shows how it ended.
        self.host.write("/etc/systemd/system/multi-user.target.d/belfryd.conf", f"[Unit]\nAfter={SERVICE}\n")
        self.host.systemctl("daemon-reload")
        return printed

    def kill_what_calls_more(self) -> None:
        """A system call that the filter of an installed unit refuses kills its process, so that no refusal goes unnoticed."""
        for unit in (self.host.root / "usr/lib/systemd").glob("*/belfry*.service"):
            drop_ins = unit.with_name(f"{unit.name}.d")
            drop_ins.mkdir(exist_ok=True)
            (drop_ins / "kill.conf").write_text("[Service]\nSystemCallErrorNumber=kill\n")

    def killed_by_filters(self) -> str:
        """What systemd and belfry-listener report of such processes."""
        find = ["journalctl", "--quiet", "--output=cat", "--no-pager", "--grep=status=31/SYS|ended by SIGSYS"]
        return self.host.run(*find, check=False).stdout

    def reset(self) -> None:
        """Restores the state after installation; `journal` no longer shows older records."""
        self.host.systemctl("stop", SERVICE)
        # A service that had ended by itself keeps its pause.
        self.host.path("/run/belfry/paused").unlink(missing_ok=True)
        shutil.rmtree(self.host.path("/etc/belfry"), ignore_errors=True)
        self.host.path("/etc/belfry/applications").mkdir(parents=True)
        self.host.systemctl("reset-failed")
        if (drop_ins := self.host.path(DROP_INS)).exists():
            shutil.rmtree(drop_ins)
            self.host.systemctl("daemon-reload")
        self.skip_old_records()

    def start(self) -> None:
        self.host.systemctl("start", self.name)

    def drop_in(self, **settings: str) -> None:
        """Changes the unit's [Service] section until the next reset."""
        lines = "".join(f"{key}={value}\n" for key, value in settings.items())
        self.host.write(f"{DROP_INS}/test.conf", f"[Service]\n{lines}")
        self.host.systemctl("daemon-reload")

    def use_notify_reload(self) -> None:
        """Applies the example drop-in for newer versions of systemd until the next reset."""
        example = self.host.path(f"/usr/share/doc/belfry/Examples/{SERVICE}.d/notify-reload.conf")
        self.host.write(f"{DROP_INS}/notify-reload.conf", example.read_text())
        self.host.systemctl("daemon-reload")

    def configure(self, text: str) -> None:
        self.host.write(CONFIGURATION, text)

    def allow(self, key: str, audience: str) -> None:
        """Changes who may do something on the socket, with a reload."""
        self.configure(f"[Socket]\n{key}={audience}\n")
        self.host.systemctl("reload", self.name)

    def ctl(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        return self.host.run("belfryctl", *arguments, **options)

    def running_ctl(self, *arguments: str) -> AbstractContextManager[subprocess.Popen]:
        """A belfryctl that runs during the test."""
        return self.host.running("belfryctl", *arguments)

    def status(self) -> dict:
        return json.loads(self.ctl("status", "--json").stdout)

    def listeners(self) -> list[dict]:
        return json.loads(self.ctl("listeners", "--json").stdout)["listeners"]

    def socket_path(self) -> Path:
        return self.host.path(ADDRESS)

    def wait_for_another(self, pid: int) -> int:
        """The process id of the active service that replaced process `pid`."""

        def replaced() -> bool:
            now = self.properties("MainPID", "SubState")
            return now["SubState"] == "running" and now["MainPID"] not in ("0", str(pid))

        self.wait_for(replaced, f"take the place of process {pid}")
        return self.main_pid()

    def group(self) -> int:
        """The group whose members are privileged."""
        return int(self.host.run("getent", "group", "belfry").stdout.split(":")[2])

    def wait_for_bus(self) -> None:
        """Returns when the service has found the bus, on which it asks how it is stopped."""
        pid = str(self.main_pid())
        self.wait_for(lambda: has_bus(self.host, pid), "find the bus")

    def wait_until_logged(self) -> None:
        """Returns when the journal has the last notification, so that no record waits for journald."""
        with self.connect() as client:
            last = client.call("GetState")["sequence"]
        run = f"_SYSTEMD_INVOCATION_ID={self.property('InvocationID')}"
        find = ["journalctl", "--quiet", "--output=cat", "--lines=1", run, f"BELFRY_SEQUENCE={last}"]
        self.wait_for(lambda: self.host.run(*find).stdout, f"log notification {last}")

    def connect(self, **options) -> VarlinkClient:
        return VarlinkClient(self.socket_path(), **options)

    def subscribe(self, **parameters) -> Subscriber:
        return Subscriber(self.connect(), **parameters)

    def notifications(self) -> list[dict]:
        """The records of notifications, without those of listeners' outcomes."""
        others = {"BELFRY_LISTENER", "BELFRY_TIMELINE"}
        return [r for r in self.journal() if "BELFRY_NOTIFICATION" in r and not others & r.keys()]


@contextmanager
def installed_host(name: str, lower: Path, keeps_journal: bool = False) -> Iterator[BelfryService]:
    """Belfry on a host of its own, which is booted, and removed afterwards."""
    host = SystemdHost(name, lower)
    try:
        if keeps_journal:
            host.keep_journal()
        host.boot()
        belfry = BelfryService(host)
        belfry.install()
        yield belfry
    finally:
        host.shut_down()
