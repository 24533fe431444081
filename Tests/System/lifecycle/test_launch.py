# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Why and how the service was started, according to `GetState`, `belfryctl status` and the journal."""

import pytest
from belfry_service import SERVICE
from varlink_client import VarlinkClient

STATE = "/var/lib/belfry"
UNITS = "/run/systemd/system"


def launch(belfry) -> dict:
    return belfry.status()["launch"]


def restart_after(belfry, signal: str) -> dict:
    """The options of the launch after the service was killed by this signal and systemd started it again."""
    pid = belfry.main_pid()
    belfry.kill(signal)
    belfry.wait_for_another(pid)
    return launch(belfry)


@pytest.fixture
def unit(on_each):
    """Writes units that are removed after the test."""
    written = []

    def write(name: str, text: str) -> str:
        written.append(name)
        on_each.host.write(f"{UNITS}/{name}", text)
        on_each.host.systemctl("daemon-reload")
        return name

    yield write
    on_each.host.systemctl("stop", *written)
    for name in written:
        on_each.host.path(f"{UNITS}/{name}").unlink()


def wait_until_started(belfry) -> dict:
    belfry.wait_for(lambda: belfry.property("SubState") == "running", "be started")
    return launch(belfry)


def test_first_start_has_no_previous_run(on_each):
    for name in ("last-word", "last-exit"):
        on_each.host.path(f"{STATE}/{name}").unlink(missing_ok=True)

    on_each.start()

    options = launch(on_each)
    assert options["cause"] == "boot"
    assert "previousRun" not in options
    assert on_each.status()["invocationId"] == on_each.property("InvocationID")
    assert "Launch: first of this boot" in on_each.ctl("status").stdout
    first = on_each.notifications()[0]
    assert (first["BELFRY_NOTIFICATION"], first["BELFRY_LAUNCH_CAUSE"]) == ("willFinishLaunching", "boot")


def test_restart_by_hand_differs_from_a_start(started_on_each):
    belfry = started_on_each
    belfry.wait_for_bus()
    before = belfry.properties("InvocationID")["InvocationID"]
    belfry.host.systemctl("restart", SERVICE)

    options = launch(belfry)
    assert options["cause"] == "restart"
    assert options["previousRun"]["invocationId"] == before
    assert options["previousRun"]["lastWord"]["reason"] == "restart"
    assert "Launch: restarted" in belfry.ctl("status").stdout
    assert belfry.properties("NRestarts") == {"NRestarts": "0"}


def test_crash_is_known_with_its_signal(started_on_each):
    options = restart_after(started_on_each, "KILL")

    assert options["cause"] == "crash"
    assert options["previousRun"]["exit"] == {"result": "signal", "code": "killed", "status": "KILL"}
    assert "lastWord" not in options["previousRun"]
    assert "Launch: after a crash (signal, killed by SIGKILL)" in started_on_each.ctl("status").stdout
    messages = [r["MESSAGE"] for r in started_on_each.notifications() if r.get("BELFRY_LAUNCH_CAUSE") == "crash"]
    assert len(messages) == 1 and messages[0].endswith(", after crash (signal, killed by SIGKILL)")


def test_kill_of_every_process_of_the_unit_is_known_with_its_signal(started_on_each):
    pid = started_on_each.main_pid()

    started_on_each.host.systemctl("kill", "-s", "KILL", "belfryd")

    started_on_each.wait_for_another(pid)
    assert "Launch: after a crash (signal, killed by SIGKILL)" in started_on_each.ctl("status").stdout


def test_process_that_exits_by_itself_is_known_with_its_status(probe):
    record = "-/usr/bin/belfryd --record-exit"
    probe.start("exit=3", Restart="always", RestartSec="0", StateDirectory="belfry-probe", ExecStopPost=record)
    first = probe.property("MainPID")
    probe.kill("USR1")
    probe.wait_for(lambda: probe.property("NRestarts") == "1" and probe.property("SubState") == "running", "be back")

    assert probe.property("MainPID") != first
    with VarlinkClient(probe.host.path("/run/belfry-probe/io.belfry.Lifecycle")) as client:
        options = client.call("GetState")["launch"]
    assert options["cause"] == "crash"
    assert options["previousRun"]["exit"] == {"result": "exit-code", "code": "exited", "status": "3"}


def test_crash_dumps_core_and_the_status_line_stays_readable(started_on_each):
    options = restart_after(started_on_each, "SEGV")

    assert options["cause"] == "crash"
    exit = options["previousRun"]["exit"]
    assert exit["status"] == "SEGV" and (exit["result"], exit["code"]) in [("core-dump", "dumped"), ("signal", "killed")]
    assert started_on_each.properties("StatusText") == {"StatusText": "active"}


def test_kill_by_the_watchdog_differs_from_a_crash(on_each):
    on_each.drop_in(WatchdogSec="2s")
    on_each.start()

    options = restart_after(on_each, "STOP")

    assert options["cause"] == "watchdog"
    assert options["previousRun"]["exit"]["result"] == "watchdog"
    assert "Launch: after a watchdog timeout" in on_each.ctl("status").stdout


def test_path_that_triggered_the_start_is_named(on_each, unit):
    inbox = on_each.host.path("/run/belfry-inbox")
    name = unit("belfry-test.path", f"[Path]\nPathExists=/run/{inbox.name}\nUnit={SERVICE}\n")
    on_each.host.systemctl("start", name)

    inbox.touch()
    try:
        options = wait_until_started(on_each)
    finally:
        inbox.unlink()

    assert (options["triggerUnit"], options["triggerPath"]) == (name, "/run/belfry-inbox")
    assert f"triggered by {name} at /run/belfry-inbox" in on_each.ctl("status").stdout


def test_every_launch_notification_carries_the_options(on_each):
    on_each.start()
    first = int(on_each.notifications()[0]["BELFRY_SEQUENCE"])

    subscriber = on_each.subscribe(after=first - 1, names=["willFinishLaunching", "didFinishLaunching"])

    assert subscriber.next()["userInfo"] == subscriber.next()["userInfo"] == launch(on_each)
