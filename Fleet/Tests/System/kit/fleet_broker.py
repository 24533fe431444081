# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""mosquitto as Belfry configures it, with TLS, in a network of the test's own."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from tempfile import mkdtemp

from fleet_certificates import FleetCertificates
from fleet_network import ADDRESS, FleetNetwork
from host_roots import PROJECT
from mqtt_client import BROKER

PORT = 8883
CONFIGURATION = PROJECT / "Fleet/config/mosquitto"
# What Debian's mosquitto.conf sets, but the log goes to the test.
MAIN = """
persistence true
persistence_location /var/lib/mosquitto/
log_dest stdout
include_dir /etc/mosquitto/conf.d
"""
# Its folders take the place of the machine's own for it alone.
START = """
mount --make-rprivate /
mount --bind {folder}/etc /etc/mosquitto
mount --bind {folder}/lib /var/lib/mosquitto
exec setpriv --pdeathsig KILL mosquitto -c /etc/mosquitto/mosquitto.conf
"""


class FleetBroker:
    """The broker, which is started, killed and started again, and its certificates."""

    def __init__(self, network: FleetNetwork, rules: str = ""):
        """`rules` are added to the access rules."""
        self.network = network
        self.folder = Path(mkdtemp(prefix="belfry-broker-"))
        self.certificates = FleetCertificates(self.folder / "certificates")
        self.address = (ADDRESS, PORT)
        self.process: subprocess.Popen | None = None
        settings = self.folder / "etc"
        (settings / "conf.d").mkdir(parents=True)
        (settings / "mosquitto.conf").write_text(MAIN)
        shutil.copy(CONFIGURATION / "belfry.conf", settings / "conf.d")
        (settings / "belfry.acl").write_text((CONFIGURATION / "belfry.acl").read_text() + rules)
        (self.folder / "lib").mkdir()
        shutil.chown(self.folder / "lib", "mosquitto", "mosquitto")
        files = {"cafile": self.certificates.authority, "certfile": self.certificates.path(BROKER), "keyfile": self.certificates.key}
        for key, file in files.items():
            path = settings / re.search(rf"^{key} /etc/mosquitto/(.*)$", (CONFIGURATION / "belfry.conf").read_text(), re.M)[1]
            path.parent.mkdir(exist_ok=True)
            shutil.copy(file, path)
            shutil.chown(path, "mosquitto", "mosquitto")

    def start(self) -> None:
        """Starts it, and returns when it listens."""
        command = self.network.enter("unshare", "--mount", "sh", "-ec", START.format(folder=self.folder))
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        while not self._listens():
            assert self.process.poll() is None and time.monotonic() < deadline, f"mosquitto did not start: {self.log()}"
            time.sleep(0.02)

    def kill(self) -> None:
        """kill -9"""
        self.process.kill()
        self.process.wait()

    def pause(self) -> None:
        """It has its connections, but does nothing, until `resume`."""
        self.process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self.process.send_signal(signal.SIGCONT)

    def close(self) -> None:
        if self.process:
            self.kill()
        shutil.rmtree(self.folder)

    def log(self) -> str:
        return (self.folder / "log").read_text(errors="replace")

    def _listens(self) -> bool:
        return f":{PORT}" in self.network.run("ss", "--no-header", "--listening", "--tcp", "--numeric")
