# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A journald and a service manager that do not read delay no client, and lose nothing within the limits."""

import os
import signal
import time
from contextlib import contextmanager
from pathlib import Path

from belfry_service import SERVICE
from test_control_signal import SENDERS
from test_restart import post
from varlink_client import NOBODY, VarlinkError

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


def answers_at_once(service) -> None:
    begin = time.monotonic()
    assert service.connect().call("GetState")["state"] == "active"
    assert time.monotonic() - begin < 1


def is_over(pid: int) -> bool:
    """Whether a process has ended, collected or not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def ticks(service) -> list[int]:
    return [int(r["BELFRY_SEQUENCE"]) for r in service.notifications() if r["BELFRY_NOTIFICATION"] == "org.example.tick"]


def test_burst_of_a_thousand_arrives_completely(started_on_each):
    first = started_on_each.status()["sequence"] + 1
    post(started_on_each, 1000)

    started_on_each.wait_for(lambda: len(ticks(started_on_each)) >= 1000, "log a thousand")
    assert ticks(started_on_each) == list(range(first, first + 1000))


def test_stopped_journald_delays_no_client_and_gets_everything(started_on_each, figures):
    first = started_on_each.status()["sequence"] + 1
    with stopped(journald(started_on_each.host)):
        begin = time.monotonic()
        post(started_on_each, 1000)
        took = time.monotonic() - begin
        answers_at_once(started_on_each)

    figures.append(f"1000 posts while journald stands still: {took:.3f} s")
    started_on_each.wait_for(lambda: len(ticks(started_on_each)) >= 1000, "log a thousand")
    assert ticks(started_on_each) == list(range(first, first + 1000))


def test_records_that_journald_does_not_take_are_counted(started_on_each):
    with stopped(journald(started_on_each.host)):
        for _ in range(6):
            post(started_on_each, 1000)
        answers_at_once(started_on_each)

    def lost() -> list[str]:
        return [line for line in started_on_each.messages() if "records are missing here" in line]

    started_on_each.wait_for(lambda: lost(), "say what is missing")
    assert sum(int(line.split()[0]) for line in lost()) + len(ticks(started_on_each)) == 6000


def test_stop_does_not_wait_for_journald(started_on_each):
    pid = started_on_each.outer_pid()
    with stopped(journald(started_on_each.host)):
        post(started_on_each, 100)
        os.kill(pid, signal.SIGTERM)
        started_on_each.wait_for(lambda: is_over(pid), "end")

    assert started_on_each.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}


def test_restarted_journald_gets_the_records_from_before(started_on_each):
    with without_journald(started_on_each.host):
        post(started_on_each, 100)
        answers_at_once(started_on_each)
    post(started_on_each, 1, "org.example.end")

    names = lambda: [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()]
    started_on_each.wait_for(lambda: "org.example.end" in names(), "log again")
    assert len(ticks(started_on_each)) == 100


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


def test_stopped_manager_delays_no_client(started_on_each):
    """The queue of the manager is full of subscriptions of other users and of reloads; a stop ends nevertheless."""
    pid = started_on_each.outer_pid()
    with stopped(started_on_each.host.leader):
        with started_on_each.connect() as owner:
            for _ in range(300):
                try:
                    owner.call("Reload")
                except VarlinkError as error:
                    assert "Refused" in str(error)
        for _ in range(2000):
            with started_on_each.connect(uid=NOBODY) as stranger:
                stranger.send("Subscribe", {}, more=True)
                stranger.reply()
        answers_at_once(started_on_each)
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + 10
        while not is_over(pid):
            assert time.monotonic() < deadline, "the stop waits for the manager"
            time.sleep(0.01)

    started_on_each.wait_until_inactive()
    assert started_on_each.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}
