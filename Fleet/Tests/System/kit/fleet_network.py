# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A network of the test's own: a bridge in a network namespace, and a cable to each host, which a test can cut."""

import ctypes
import os
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from threading import Thread

from private_mounts import libc
from systemd_host import SystemdHost

CLONE_NEWNET = 0x40000000
SUBNET = "10.99.0"
ADDRESS = f"{SUBNET}.1"
BRIDGE = f"""
ip link set lo up
ip link add bridge0 address 02:00:00:00:00:01 type bridge
ip address add {ADDRESS}/24 dev bridge0
ip link set bridge0 up
echo ready
exec sleep infinity
"""


def address(number: int) -> str:
    return f"{SUBNET}.{number}"


class FleetNetwork:
    """It lives as long as a process in it, which is killed with the test run, however that ends.

    The test's own side has ADDRESS. A host that ends takes its cable with it.
    """

    def __init__(self):
        command = ["setpriv", "--pdeathsig", "KILL", "unshare", "--net", "sh", "-ec", BRIDGE]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != "ready\n":
            raise AssertionError("unable to make a network namespace with a bridge")

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def enter(self, *command: str) -> list[str]:
        """The command line that runs `command` in the network."""
        return ["nsenter", f"--net=/proc/{self.process.pid}/ns/net", *command]

    def run(self, *command: str) -> str:
        return subprocess.run(self.enter(*command), check=True, capture_output=True, text=True).stdout

    def connect(self, host: SystemdHost, number: int) -> None:
        """Connects a host that has booted; its address is `address(number)`."""
        inside = f"/proc/{host.leader}/ns/net"
        self.run("ip", "link", "add", host.name, "type", "veth", "peer", "name", "host0", "netns", str(host.leader))
        self.run("ip", "link", "set", host.name, "master", "bridge0", "up")
        for change in (f"address add {address(number)}/24 dev host0", "link set host0 up", "link set lo up"):
            subprocess.run(["nsenter", f"--net={inside}", "ip", *change.split()], check=True)

    def cut(self, host: SystemdHost) -> None:
        self.run("ip", "link", "set", host.name, "down")

    def join(self, host: SystemdHost) -> None:
        self.run("ip", "link", "set", host.name, "up")

    @contextmanager
    def without(self, host: SystemdHost) -> Iterator[None]:
        """The cable of the host is cut during the block."""
        self.cut(host)
        try:
            yield
        finally:
            self.join(host)

    def call(self, action: Callable[[], object]) -> Future:
        """Runs a function in the network, in a thread of its own."""
        done = Future()

        def run() -> None:
            try:
                with open(f"/proc/{self.process.pid}/ns/net") as namespace:
                    if libc.setns(namespace.fileno(), CLONE_NEWNET) != 0:
                        error = ctypes.get_errno()
                        raise OSError(error, f"unable to enter the network: {os.strerror(error)}")
                done.set_result(action())
            except BaseException as error:
                done.set_exception(error)

        Thread(target=run, daemon=True).start()
        return done
