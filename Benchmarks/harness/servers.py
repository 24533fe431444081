# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The servers that are compared. Each runs privately, in a directory of its own, on a Unix socket."""

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
