# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The messages to systemd, according to its own log."""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager

from belfry_service import SERVICE

TOLD = re.compile(r"Got notification message from PID (?P<pid>\d+)(?:: | \()(?P<words>.*)")


@contextmanager
def manager_debug_log(host) -> Iterator[None]:
    """Makes systemd log the messages that it receives; nothing else shows them."""
    host.run("systemctl", "log-level", "debug")
    try:
        yield
    finally:
        host.run("systemctl", "log-level", "info")


def sent_messages(service, pid: int) -> list[str]:
    """The messages of this process to systemd."""
    found = [TOLD.search(message) for message in service.messages()]
    return [match["words"] for match in found if match and match["pid"] == str(pid)]


def now() -> int:
    """CLOCK_MONOTONIC in microseconds; hosts have no clock of their own."""
    return time.monotonic_ns() // 1000


def test_manager_is_notified_of_the_beginning_and_the_end_of_a_reload(started_on_each):
    pid = started_on_each.main_pid()
    before = now()
    with manager_debug_log(started_on_each.host):
        started_on_each.host.systemctl("reload", SERVICE)

    words = sent_messages(started_on_each, pid)
    began = next(index for index, text in enumerate(words) if text.startswith("RELOADING=1, "))
    usec = re.search(r"MONOTONIC_USEC=(\d+)", words[began])
    assert before < int(usec[1]) < now()
    assert [text for text in words[began:] if text.startswith("READY=1")]
