# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A journald, a service manager and a standard error that do not read delay no client, and lose nothing within the limits."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

from bystanders import unharmed
from hostile_clients import assail, call
from interruptions import post
from varlink_client import VarlinkError

JOURNALD = "systemd-journald.service"
SOCKETS = ["systemd-journald.socket", "systemd-journald-dev-log.socket"]


@contextmanager
def stopped(*pids: int):
    """Stops processes during the block."""
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def journald(host) -> int:
    """The process id of journald as this process counts: the one whose parent is the host's PID 1."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == host.leader and (folder / "comm").read_text() == "systemd-journal\n":
                return int(folder.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    raise AssertionError("journald does not run")


@contextmanager
def without_journald(host):
    try:
        host.systemctl("stop", *SOCKETS, JOURNALD)
        yield
    finally:
        host.systemctl("start", *SOCKETS, JOURNALD)


def ticks(service) -> list[int]:
    return [int(r["BELFRY_SEQUENCE"]) for r in service.notifications() if r["BELFRY_NOTIFICATION"] == "org.example.tick"]


def fill_the_queue_of_the_manager(service) -> None:
    """With what reloads and subscriptions of other users make the service send."""
    with service.connect() as owner:
        for _ in range(300):
            try:
                owner.call("Reload")
            except VarlinkError as error:
                assert "Refused" in str(error)
    assail(service, [call("Subscribe", more=True)], 50, rounds=200, anew=True, read=True)


def test_stopped_journald_delays_no_client_and_gets_everything(started_on_each, figures):
    with unharmed(started_on_each, figures, "1000 records for a journal that does not read") as go_around:
        with stopped(journald(started_on_each.host)):
            post(started_on_each, 1000)
            go_around()

    arrived = ticks(started_on_each)
    assert len(arrived) == 1000 and arrived == sorted(set(arrived))


def test_restarted_journald_gets_the_records_from_before(started_on_each, figures):
    with unharmed(started_on_each, figures, "a journal that is stopped and started again") as go_around:
        with without_journald(started_on_each.host):
            post(started_on_each, 1000)
            go_around()
        post(started_on_each, 1, "org.example.end")

    assert "org.example.end" in [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()]
    assert len(ticks(started_on_each)) == 1000


def test_stopped_manager_delays_no_client(on_each, figures):
    # On a loaded machine it is stopped for so long that it would miss the watchdog's message.
    on_each.drop_in(WatchdogSec="0")
    on_each.start()
    with unharmed(on_each, figures, "a service manager that does not read, and a full queue for it") as go_around:
        with stopped(on_each.host.leader):
            fill_the_queue_of_the_manager(on_each)
            go_around()


def test_standard_error_that_does_not_read_delays_no_client(belfry, figures):
    pipe = belfry.host.path("/run/standard-error")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        belfry.configure("[Logger]\nTarget=stderr\n")
        belfry.drop_in(StandardError="file:/run/standard-error")
        belfry.start()
        with unharmed(belfry, figures, "2000 lines for a standard error that nobody reads") as go_around:
            for _ in range(2):
                post(belfry, 1000)
            go_around()
    finally:
        os.close(reader)
        pipe.unlink()


def test_a_service_that_starts_without_a_journald_writes_to_the_one_that_comes(belfry):
    with without_journald(belfry.host):
        belfry.host.systemctl("restart", belfry.name)
        belfry.ctl("post", "org.example.tick")
    belfry.wait_for(lambda: ticks(belfry), "write what had to wait")
    belfry.ctl("post", "org.example.tick")
    belfry.wait_for(lambda: len(ticks(belfry)) == 2, "write on")
    belfry.host.systemctl("restart", belfry.name)
