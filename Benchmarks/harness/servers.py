# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The servers that are compared. Each uses a directory and a socket of its own. A function here returns the process and
its address: the path of a Unix socket, or the number of a TCP port."""

import os
import pwd
import socket

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
    """belfryd with all listeners, among them a cache, and without a watchdog. It logs to standard error."""
    directory = place.directory("belfryd")
    cache = directory / "cache"
    cache.mkdir()
    (cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n")
    configuration = directory / "belfry.conf"
    configuration.write_text(CONFIGURATION.format(cache=cache, logger="yes" if logger else "no"))
    path = directory / "io.belfry.Lifecycle"
    private = {"XDG_RUNTIME_DIR": str(directory), "XDG_STATE_HOME": str(directory)}
    process = Process(
        [place.built / "belfryd", "--config", configuration, "--socket", path], {**private, **(environment or {})},
        log=directory / "log")
    return process, path


def write_loop(place: Place):
    """Writes all that its first client sends to the others."""
    path = place.directory("write-loop") / "socket"
    return Process([place.helpers / "WriteLoop", path]), path


def dbus_daemon(place: Place):
    directory = place.directory("dbus")
    path = directory / "bus"
    arguments = ["dbus-daemon", "--session", "--nofork", "--nopidfile", "--nosyslog", f"--address=unix:path={path}"]
    return Process(arguments, log=directory / "log"), path


def dbus_broker(place: Place):
    directory = place.directory("dbus-broker")
    path = directory / "bus"
    return Process([place.helpers / "DBusBroker", path], log=directory / "log"), path


def redis(place: Place):
    directory = place.directory("redis")
    path = directory / "redis"
    options = {"port": 0, "unixsocket": path, "save": "", "appendonly": "no", "maxclients": 4096, "dir": directory}
    arguments = ["redis-server", *(str(word) for key, value in options.items() for word in (f"--{key}", value))]
    return Process(arguments, log=directory / "log"), path


def nats(place: Place):
    """NATS has no Unix sockets."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    return Process(["nats-server", "--addr", "127.0.0.1", "--port", port], log=place.directory("nats") / "log"), port


def mosquitto(place: Place):
    directory = place.directory("mosquitto")
    path = directory / "mosquitto"
    configuration = directory / "mosquitto.conf"
    user = pwd.getpwuid(os.geteuid()).pw_name
    configuration.write_text(f"listener 0 {path}\nallow_anonymous true\npersistence false\nuser {user}\n")
    return Process(["mosquitto", "-c", configuration], log=directory / "log"), path
