# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The receivers of the service's own messages do not read: the service manager, the journal, standard error."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

from bystanders import unharmed
from hostile_clients import assail, call

MANY = 1000
POSTS = call("Post", {"name": "org.example.record"}) * MANY
CHURN = {"rounds": 200, "anew": True}
JOURNALD = "systemd-journald.service"
JOURNAL_SOCKETS = ["systemd-journald.socket", "systemd-journald-dev-log.socket", "systemd-journald-audit.socket"]


@contextmanager
def stopped(host, pid: int):
    """A process of the host is stopped during the block."""
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def journald(host) -> int:
    """The process of the host's journald as this process counts."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with open(status) as lines:
            if "systemd-journal" in lines.readline() and os.path.samefile(status.parent / "root", host.path("/")):
                return int(status.parent.name)
    raise AssertionError("no journald runs")


def records(belfry) -> list[dict]:
    return [r for r in belfry.notifications() if r["BELFRY_NOTIFICATION"] == "org.example.record"]


def test_journal_that_does_not_read(started, figures):
    with unharmed(started, figures, f"{MANY} records for a journal that does not read") as go_around:
        with stopped(started.host, journald(started.host)):
            assail(started, [POSTS], privileged=True, read=True)
            go_around()
    arrived = records(started)
    assert len({r["BELFRY_SEQUENCE"] for r in arrived}) == len(arrived) == MANY


def test_burst_of_records_arrives_completely(started, figures):
    with unharmed(started, figures, f"a burst of {MANY} records"):
        assail(started, [POSTS], privileged=True)
    assert len(records(started)) == MANY


def test_stop_while_the_journal_does_not_read(started):
    pid = started.outer_pid()
    with stopped(started.host, journald(started.host)):
        assail(started, [POSTS], privileged=True, read=True)
        started.kill("TERM")
        started.wait_for_end_of(pid, seconds=5)
    assert started.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}


def test_journal_that_is_restarted(started, figures):
    with unharmed(started, figures, "a journal that is stopped and started again") as go_around:
        started.host.systemctl("stop", *JOURNAL_SOCKETS, JOURNALD)
        assail(started, [POSTS], privileged=True, read=True)
        go_around()
        started.host.systemctl("start", *JOURNAL_SOCKETS, JOURNALD)
        assail(started, [call("Post", {"name": "org.example.again"})], privileged=True, read=True)
    assert [r for r in started.notifications() if r["BELFRY_NOTIFICATION"] == "org.example.again"]


def test_service_manager_that_does_not_read(started, figures):
    host = started.host
    with unharmed(started, figures, "a service manager that does not read, 10000 who subscribe and go") as go_around:
        with stopped(host, host.leader):
            assail(started, [call("Subscribe", more=True)], 50, read=True, **CHURN)
            go_around()


def test_stop_while_the_service_manager_does_not_read(started):
    pid = started.outer_pid()
    with stopped(started.host, started.host.leader):
        assail(started, [call("Subscribe", more=True)], 50, read=True, **CHURN)
        os.kill(pid, signal.SIGTERM)
        started.wait_for_end_of(pid, seconds=5)
    started.wait_until_inactive()
    assert started.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}


def test_standard_error_that_does_not_read(belfry, figures):
    pipe = belfry.host.path("/run/standard-error")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)
    try:
        belfry.configure("[Logger]\nTarget=stderr\n")
        belfry.drop_in(StandardError="file:/run/standard-error")
        belfry.start()
        with unharmed(belfry, figures, f"{MANY} lines for a standard error that nobody reads") as go_around:
            assail(belfry, [POSTS * 2], privileged=True, read=True)
            go_around()
    finally:
        os.close(reader)
        pipe.unlink()
