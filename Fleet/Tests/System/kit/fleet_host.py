# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A host of a fleet, and the machine of its operator, with belfry-fleetd as installed."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from belfry_service import SERVICE, BelfryService
from fleet_broker import PORT, FleetBroker
from hosted_unit import HostedUnit
from mqtt_client import BROKER
from systemd_host import SystemdHost
from varlink_client import VarlinkClient

BRIDGE = "belfry-fleetd.service"
SETTINGS = "etc/belfry/fleet.conf.d/local.conf"
FLEET_SOCKET = "/run/belfry-fleet/io.belfry.Fleet"
CREDENTIALS = "etc/credstore"
# The tests restart and kill them often.
RESTART = "[Unit]\nStartLimitIntervalSec=0\n"
# In its sandbox the service sees the boot id of the kernel, which is that of all containers, instead of that of its own. Only a
# host that is booted twice needs this. systemd 257 cannot bind-mount over it.
BOOT_ID = "/proc/sys/kernel/random/boot_id"
SEE_BOOT_ID = f"[Service]\nBindReadOnlyPaths=/run/boot-id:{BOOT_ID}\n"
# Short, so that a test need not wait long until a host that is silent is unknown.
RENEWAL = 2
ACCEPT = "reload@operator pause@operator resume@operator post:flushRequested@operator post:com.example.work@operator"


URL = f"mqtts://{BROKER}:{PORT}"
# The configuration of the operator's machine.
VIEW = f"[Fleet]\nView=yes\n[Broker]\nUrl={URL}\n"


def configuration(accept: str = ACCEPT, more: str = "", url: str = URL, renewal: int = RENEWAL) -> str:
    return f"[Fleet]\nRenewal={renewal}s\nAccept={accept}\n{more}\n[Broker]\nUrl={url}\n"


def prepare(host: SystemdHost, broker: FleetBroker, settings: str, sees_boot_id: bool) -> None:
    """Writes the files of a machine with Belfry before its boot."""
    BelfryService(host).kill_what_calls_more()
    write(host.root / f"etc/systemd/system/{SERVICE}.d/fleet.conf", RESTART + SEE_BOOT_ID * sees_boot_id)
    write(host.root / f"etc/systemd/system/{BRIDGE}.d/fleet.conf", RESTART)
    set_up(host, broker, settings)


def set_up(host: SystemdHost, broker: FleetBroker, settings: str) -> None:
    """Writes the configuration of the bridge, and its credentials."""
    write(host.root / SETTINGS, settings)
    credentials = host.root / CREDENTIALS
    credentials.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(broker.certificates.authority, credentials / "belfry.ca")
    shutil.copy(broker.certificates.path(host.name), credentials / "belfry.certificate")
    shutil.copy(broker.certificates.key, credentials / "belfry.key")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


class FleetHost(BelfryService):
    """belfryd on the host, and `bridge`, its belfry-fleetd."""

    def __init__(self, host: SystemdHost):
        super().__init__(host)
        self.bridge = HostedUnit(host, BRIDGE)

    def start(self) -> None:
        """Starts both services."""
        self.host.write("/run/boot-id", self.host.run("cat", BOOT_ID).stdout)
        self.host.systemctl("start", SERVICE, BRIDGE)

    def set_fleet(self, text: str) -> None:
        """Changes the configuration of the bridge, and restarts it."""
        self.host.write(f"/{SETTINGS}", text)
        self.host.systemctl("restart", BRIDGE)

    def reset(self) -> None:
        """As after the boot: both services run, the service is active, with no configuration of a test."""
        self.start()
        if self.host.path(f"/{SETTINGS}").read_text() != configuration():
            self.set_fleet(configuration())
        with self.connect() as client:
            if client.call("GetState")["state"] != "active":
                client.call("Resume")
        for unit in (self, self.bridge):
            unit.skip_old_records()

    @contextmanager
    def hanging(self) -> Iterator[None]:
        """The service is stopped with SIGSTOP during the block, so that it answers no call."""
        self.kill("STOP")
        self.wait_until_stopped()
        try:
            yield
        finally:
            self.kill("CONT")

    def post(self, name: str, count: int = 1) -> int:
        """Posts a notification, several times if asked, and returns the number of the last one."""
        with self.connect() as client:
            return [client.call("Post", {"name": name})["sequence"] for _ in range(count)][-1]

    def sequence(self) -> int:
        """The number of the last notification."""
        with self.connect() as client:
            return client.call("GetState")["sequence"]

    def posted(self, name: str) -> list[dict]:
        """The records of the notifications with this name."""
        return [record for record in self.notifications() if record["BELFRY_NOTIFICATION"] == name]


class FleetOperator(HostedUnit):
    """The machine of an operator, whose belfry-fleetd shows the fleet."""

    def __init__(self, host: SystemdHost):
        super().__init__(host, BRIDGE)

    def fleet(self, *arguments: str, **options) -> subprocess.CompletedProcess:
        """`belfry-fleet`"""
        return self.host.run("belfry-fleet", *arguments, **options)

    def running_fleet(self, *arguments: str):
        """A `belfry-fleet` that runs during the test."""
        return self.host.running("belfry-fleet", *arguments)

    def connect(self, **options) -> VarlinkClient:
        return VarlinkClient(self.host.path(FLEET_SOCKET), **options)

    def hosts(self) -> dict[str, dict]:
        """The hosts of the view by name."""
        with self.connect() as client:
            return {host["name"]: host for host in client.call("io.belfry.Fleet.List")["hosts"]}

    def states(self, *names: str) -> dict[str, str]:
        """The states of these hosts in the view."""
        return {name: host["state"] for name, host in self.hosts().items() if name in names}

    def wait_for_states(self, seconds: float = 30, **expected: str) -> None:
        self.wait_for(lambda: self.states(*expected) == expected, f"show {expected}", seconds)

    def send(self, command: str, hosts: str, seconds: float, **parameters) -> dict[str, dict]:
        """The answer of each host to a command, as the socket gives them."""
        with self.connect(timeout=seconds + 20) as client:
            parameters |= {"command": command, "hosts": hosts, "timeoutUsec": int(seconds * 1e6)}
            client.send("io.belfry.Fleet.Send", parameters, more=True)
            answers, frame = {}, {"continues": True}
            while frame.get("continues"):
                frame = client.receive()
                assert "error" not in frame, frame
                if "host" in frame["parameters"]:
                    answers[frame["parameters"]["host"]] = frame["parameters"]
            return answers


class FleetWatch:
    """Follows the fleet on the socket. `notifications` has what came, with the names of the hosts; `hosts` their changes."""

    def __init__(self, operator: FleetOperator, **parameters):
        self.client = operator.connect(timeout=3600)
        self.notifications: list[tuple[str, dict]] = []
        self.hosts: list[dict] = []
        self.notes: list[str] = []
        self.failure: Exception | None = None
        self.client.send("io.belfry.Fleet.Watch", parameters, more=True)
        self.thread = Thread(target=self._read, daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.client.socket.shutdown(2)
        self.thread.join()
        self.client.socket.close()

    def of(self, host: str) -> list[dict]:
        return [notification for name, notification in self.notifications if name == host]

    def _read(self) -> None:
        try:
            while True:
                reply = self.client.reply()
                if notification := reply.get("notification"):
                    self.notifications.append((reply["host"]["name"], notification))
                elif host := reply.get("host"):
                    self.hosts.append(host)
                elif note := reply.get("note"):
                    self.notes.append(note)
        except (OSError, EOFError):
            pass
        except Exception as failure:
            self.failure = failure


def boots(notifications: list[dict]) -> dict[str, list[int]]:
    """The numbers of the notifications of each boot, as they came."""
    numbers: dict[str, list[int]] = {}
    for notification in notifications:
        numbers.setdefault(notification["bootId"], []).append(notification["sequence"])
    return numbers


def missing_and_doubled(notifications: list[dict]) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Between the first and the last of each boot: numbers that are missing, and numbers that came more than once."""
    every = boots(notifications).items()
    missing = [(b, n) for b, numbers in every for n in range(min(numbers), max(numbers)) if n not in set(numbers)]
    doubled = [(b, n) for b, numbers in every for n in set(numbers) if numbers.count(n) > 1]
    return missing, doubled


def parsed(printed: str) -> list[dict]:
    """JSON objects, one a line."""
    return [json.loads(line) for line in printed.splitlines()]
