# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The servers that are compared. Each runs privately, in a directory of its own, on a Unix socket."""

import os
import pwd
import shutil

from .measure import Place
from .process import Process

CONFIGURATION = """\
[Logger]
Enabled={logger}
[Cache pictures]
Path={cache}
FilesMax=10
"""


def belfryd(place: Place, environment=None, logger=True):
    """belfryd with every listener on, a cache to flush among them, and no watchdog. It logs to standard error."""
    directory = place.directory("belfryd")
    cache = directory / "cache"
    cache.mkdir()
    (cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    configuration = directory / "belfry.conf"
    configuration.write_text(CONFIGURATION.format(cache=cache, logger="yes" if logger else "no"))
    socket = directory / "io.belfry.Lifecycle"
    private = {"XDG_RUNTIME_DIR": str(directory), "XDG_STATE_HOME": str(directory)}
    process = Process(
        [place.built / "belfryd", "--config", configuration, "--socket", socket], {**private, **(environment or {})},
        log=directory / "log")
    return process, socket


def dbus_daemon(place: Place):
    directory = place.directory("dbus")
    socket = directory / "bus"
    arguments = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", f"--address=unix:path={socket}"]
    return Process(arguments, log=directory / "log"), socket


def redis(place: Place):
    directory = place.directory("redis")
    socket = directory / "redis"
    options = {"port": 0, "unixsocket": socket, "save": "", "appendonly": "no", "maxclients": 4096, "dir": directory}
    arguments = ["redis-server", *(str(word) for key, value in options.items() for word in (f"--{key}", value))]
    return Process(arguments, log=directory / "log"), socket


def mosquitto(place: Place):
    directory = place.directory("mosquitto")
    socket = directory / "mosquitto"
    configuration = directory / "mosquitto.conf"
    user = pwd.getpwuid(os.geteuid()).pw_name
    configuration.write_text(f"listener 0 {socket}\nallow_anonymous true\npersistence false\nuser {user}\n")
    return Process([shutil.which("mosquitto") or "/usr/sbin/mosquitto", "-c", configuration], log=directory / "log"), socket
