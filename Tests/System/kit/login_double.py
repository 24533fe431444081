# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""python-dbusmock in place of a host's logind, because a container cannot sleep and its logind never announces a sleep."""

import json
import os
import subprocess

LOGIND = "systemd-logind.service"
MANAGER = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager")
# Debian's own interpreter: it is the one that python3-dbusmock belongs to.
MOCK = ["/usr/bin/python3", "-m", "dbusmock", "--system", "--template", "logind"]
# The locks that a service takes by default.
BOTH = {"sleep", "shutdown"}


class LoginDouble:
    """Owns the bus name of logind from `start` to `stop`, and announces what a test requests."""

    def __init__(self, host):
        self.host = host
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """Replaces the real logind."""
        self.host.systemctl("mask", "--runtime", "--now", LOGIND)
        bus = f"unix:path={self.host.path('/run/dbus/system_bus_socket')}"
        self.process = subprocess.Popen(
            MOCK, env=os.environ | {"DBUS_SYSTEM_BUS_ADDRESS": bus}, stdout=subprocess.DEVNULL
        )

    def is_there(self) -> bool:
        """Whether the bus name of logind has an owner."""
        bus = ["org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus"]
        return self.host.run("busctl", "call", *bus, "GetNameOwner", "s", MANAGER[0], check=False).returncode == 0

    def stop(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def restore(self) -> None:
        """Starts the real logind again."""
        self.stop()
        self.host.systemctl("unmask", "--runtime", LOGIND)
        self.host.systemctl("start", LOGIND)

    def limit_delay(self, seconds: int) -> None:
        """Sets how long a sleep waits at most."""
        arguments = ["ssv", MANAGER[2], "InhibitDelayMaxUSec", "t", str(seconds * 1_000_000)]
        self.host.run("busctl", "call", *MANAGER[:2], "org.freedesktop.DBus.Mock", "AddProperty", *arguments)

    def announce_sleep(self, begins: bool) -> None:
        self._announce("PrepareForSleep", begins)

    def announce_shutdown(self, begins: bool) -> None:
        self._announce("PrepareForShutdown", begins)

    def _announce(self, signal: str, begins: bool) -> None:
        value = "true" if begins else "false"
        calls = {"UpdateProperties": ["sa{sv}", MANAGER[2], "1", signal.replace("Prepare", "Preparing"), "b", value]}
        calls["EmitSignal"] = ["sssav", MANAGER[2], signal, "b", "1", "b", value]
        for method, arguments in calls.items():
            self.host.run("busctl", "call", *MANAGER[:2], "org.freedesktop.DBus.Mock", method, *arguments)


def locks(host, who: str = "belfryd") -> set[str]:
    """What logind, or its double, delays on behalf of `who`."""
    done = host.run("busctl", "call", "--json=short", *MANAGER, "ListInhibitors", check=False)
    if done.returncode != 0:
        return set()
    return {entry[0] for entry in json.loads(done.stdout)["data"][0] if entry[1] == who and entry[3] == "delay"}


def wait_for_locks(belfry, expected: set[str]) -> None:
    """Returns when the service holds these locks and no others. logind answers some time after the start."""
    belfry.wait_for(lambda: locks(belfry.host) == expected, f"hold the locks {expected}")
