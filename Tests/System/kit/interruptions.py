# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A service that is restarted or killed while clients post."""

import subprocess

from belfry_service import SERVICE


def restart(belfry) -> subprocess.Popen:
    return subprocess.Popen(belfry.host.enter("systemctl", "restart", SERVICE))


def crash(belfry) -> subprocess.Popen:
    return subprocess.Popen(belfry.host.enter("systemctl", "kill", "--kill-who=main", "--signal=KILL", SERVICE))


def post(belfry, count: int, name: str = "org.example.tick") -> None:
    """Posts this many times, and connects again as often as needed."""
    while count:
        try:
            with belfry.connect() as client:
                for _ in range(count):
                    client.send("Post", {"name": name})
                while count:
                    client.reply()
                    count -= 1
        except (EOFError, ConnectionError, FileNotFoundError):
            pass


def flood(belfry, count: int) -> None:
    """Posts this many in portions, because a client that does not read replies is not served."""
    for begin in range(0, count, 1000):
        post(belfry, min(1000, count - begin))
    belfry.wait_until_logged()
