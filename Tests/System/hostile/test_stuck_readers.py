# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A journald, a service manager and a standard error that do not read delay no client, and lose nothing within the limits."""

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

from belfry_service import SERVICE
from bystanders import NOTICED, unharmed
from control_signal import SENDERS
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


def assert_ended_in_order(service) -> None:
    service.wait_until_inactive()
    assert service.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}


def test_burst_of_a_thousand_arrives_completely(started_on_each):
    first = started_on_each.status()["sequence"] + 1
    post(started_on_each, 1000)

    started_on_each.wait_for(lambda: len(ticks(started_on_each)) >= 1000, "log a thousand")
    assert ticks(started_on_each) == list(range(first, first + 1000))


def test_stopped_journald_delays_no_client_and_gets_everything(started_on_each, figures):
    with unharmed(started_on_each, figures, "1000 records for a journal that does not read") as go_around:
        with stopped(journald(started_on_each.host)):
            post(started_on_each, 1000)
            go_around()

    arrived = ticks(started_on_each)
    assert len(arrived) == 1000 and arrived == sorted(set(arrived))


def test_records_that_journald_does_not_take_are_counted(started_on_each):
    with stopped(journald(started_on_each.host)):
        for _ in range(6):
            post(started_on_each, 1000)
        begin = time.monotonic()
        assert started_on_each.connect().call("GetState")["state"] == "active"
        assert time.monotonic() - begin < NOTICED

    def lost() -> list[str]:
        return [line for line in started_on_each.messages() if "records are missing here" in line]

    started_on_each.wait_for(lambda: lost(), "say what is missing")
    assert sum(int(line.split()[0]) for line in lost()) + len(ticks(started_on_each)) == 6000


def test_stop_does_not_wait_for_journald(started_on_each):
    pid = started_on_each.outer_pid()
    with stopped(journald(started_on_each.host)):
        post(started_on_each, 1000)
        os.kill(pid, signal.SIGTERM)
        started_on_each.wait_for_end_of(pid, seconds=5)

    assert_ended_in_order(started_on_each)


def test_restarted_journald_gets_the_records_from_before(started_on_each, figures):
    with unharmed(started_on_each, figures, "a journal that is stopped and started again") as go_around:
        with without_journald(started_on_each.host):
            post(started_on_each, 1000)
            go_around()
        post(started_on_each, 1, "org.example.end")

    assert "org.example.end" in [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()]
    assert len(ticks(started_on_each)) == 1000


def test_journal_as_target_without_journald_is_refused(on_each):
    on_each.configure("[Logger]\nTarget=null\n")
    on_each.start()
    on_each.configure("[Logger]\nTarget=journal\n")
    with without_journald(on_each.host):
        refused = on_each.ctl("reload", check=False)
        assert refused.returncode != 0
        assert "unable to reach the journal at '/run/systemd/journal/socket'" in refused.stdout + refused.stderr
        send = dict(SENDERS)[f"{on_each.host.name}_host"]
        send(on_each, 0x201)
        post(on_each, 1)
    post(on_each, 1)
    on_each.host.systemctl("reload", SERVICE)
    post(on_each, 1, "org.example.end")
    on_each.wait_for(lambda: on_each.notifications(), "log")

    # Neither while there was none nor afterwards: the old target stayed.
    assert ticks(on_each) == []


def test_stopped_manager_delays_no_client(started_on_each, figures):
    with unharmed(started_on_each, figures, "a service manager that does not read, and a full queue for it") as go_around:
        with stopped(started_on_each.host.leader):
            fill_the_queue_of_the_manager(started_on_each)
            go_around()


def test_stop_does_not_wait_for_the_manager(started_on_each):
    pid = started_on_each.outer_pid()
    with stopped(started_on_each.host.leader):
        fill_the_queue_of_the_manager(started_on_each)
        os.kill(pid, signal.SIGTERM)
        started_on_each.wait_for_end_of(pid, seconds=5)

    assert_ended_in_order(started_on_each)


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
