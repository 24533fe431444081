# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The messages to systemd, according to its own log, and how a service runs without a service manager."""

import re
import socket
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


def test_exit_status_reaches_the_manager(probe):
    probe.start("plain")
    pid = probe.main_pid()
    with manager_debug_log(probe.host):
        probe.stop()

    assert any("EXIT_STATUS=0" in words for words in sent_messages(probe, pid))


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


def test_stop_that_the_manager_did_not_request_is_announced_to_it(probe):
    probe.start("hang", TimeoutStopSec="5s")
    pid = probe.main_pid()
    probe.host.run("sh", "-c", f"kill -TERM {pid}")

    probe.wait_for(lambda: probe.property("ActiveState") != "active", "be known to stop")

    assert probe.properties("ActiveState", "MainPID", "Job") == {
        "ActiveState": "deactivating",
        "MainPID": str(pid),
        "Job": "",
    }
    probe.wait_until_inactive()
    assert probe.properties("Result", "ExecMainStatus") == {"Result": "success", "ExecMainStatus": "0"}


FOLDER = "/run/belfry-unmanaged"
UNMANAGED = f"""[Socket]
Enabled=no
[Logger]
Target=stderr
[Service]
RuntimeDirectory={FOLDER}
StateDirectory={FOLDER}
"""


def run_by_hand(belfry, *variables: str) -> tuple[int, list[str]]:
    """Runs belfryd without a unit until it is active, and stops it: its exit status, and its output."""
    belfry.host.run("mkdir", "-m", "700", FOLDER)
    belfry.host.write(f"{FOLDER}/belfry.conf", UNMANAGED)
    command = f"echo $$; exec belfryd --config {FOLDER}/belfry.conf"
    with belfry.host.running("env", *variables, "sh", "-c", command) as daemon:
        pid = daemon.stdout.readline().strip()
        output: list[str] = []
        while not any("didBecomeActive" in line for line in output):
            line = daemon.stderr.readline()
            assert line, output
            output.append(line)
        belfry.host.run("sh", "-c", f"kill -TERM {pid}")
        output += daemon.stderr.read().splitlines()
        status = daemon.wait(timeout=30)
    belfry.host.run("rm", "-r", FOLDER)
    return status, output


def test_service_without_a_manager_says_once_what_it_does_without(on_each):
    status, output = run_by_hand(on_each)

    assert status == 0
    assert any("willTerminate" in line for line in output)
    about = [line for line in output if "service manager" in line or "serviceManager" in line]
    assert len(about) == 1 and "no service manager, doing without what a unit provides: " in about[0]


def test_service_whose_manager_cannot_be_notified_logs_it_and_runs(on_each):
    closed = "/run/belfry-closed"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(on_each.host.path(closed)))

    status, output = run_by_hand(on_each, f"NOTIFY_SOCKET={closed}")
    on_each.host.run("rm", closed)

    assert status == 0
    assert any("willTerminate" in line for line in output)
    what = "unable to notify 'service manager': Connection refused (ECONNREFUSED), going on"
    assert sum(what in line for line in output) == 1
