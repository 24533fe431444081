# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Why and how the service was started, according to `GetState`, `belfryctl status` and the journal."""

import json

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
    assert options["invocationId"] == on_each.property("InvocationID")
    assert options["execPid"] == on_each.main_pid()
    assert "Launch: first of this boot" in on_each.ctl("status").stdout
    first = on_each.notifications()[0]
    assert (first["BELFRY_NOTIFICATION"], first["BELFRY_LAUNCH_CAUSE"]) == ("willFinishLaunching", "boot")


def test_restart_by_hand_differs_from_a_start(started_on_each):
    belfry = started_on_each
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


def test_unit_whose_failure_started_the_service_is_named(on_each, unit):
    broken = "[Unit]\nOnFailure=" + SERVICE + "\n[Service]\nType=oneshot\nExecStart=/bin/sh -c 'exit 3'\n"
    name = unit("belfry-broken.service", broken)

    on_each.host.systemctl("start", name, check=False)

    monitored = wait_until_started(on_each)["monitored"]
    assert monitored["unit"] == name
    assert monitored["exit"] == {"result": "exit-code", "code": "exited", "status": "3"}
    assert len(monitored["invocationId"]) == 32
    assert f"; for {name} (exit-code, status 3)" in on_each.ctl("status").stdout


def test_credentials_are_listed_by_name_only(on_each):
    on_each.drop_in(SetCredential="token:hidden")

    on_each.start()

    options = launch(on_each)
    assert options["credentialNames"] == ["token"]
    assert options["credentialsDirectory"].startswith("/run/credentials/")
    assert "hidden" not in json.dumps(on_each.status())
    assert "; credentials token\n" in on_each.ctl("status").stdout


STORE = """
import array, os, socket
manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
manager.connect(os.environ["NOTIFY_SOCKET"])
kept = array.array("i", [os.memfd_create("kept")])
manager.sendmsg([b"FDSTORE=1\\nFDNAME=keepsake"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, kept)])
"""
# Replaces a service that stores a descriptor: older versions of systemd-notify cannot, and only their host has Python.
STORING = {
    "machine": "/usr/bin/python3 /run/belfry-store.py",
    "trixie": "/bin/sh -c 'systemd-notify --fd=3 --fdname=keepsake 3</dev/null'",
}


def test_stored_descriptors_differ_from_sockets(on_each):
    belfry = on_each
    belfry.host.write("/run/belfry-store.py", STORE)
    belfry.drop_in(FileDescriptorStoreMax="8", NotifyAccess="all", ExecStartPost=STORING[belfry.host.name])
    belfry.start()

    belfry.host.systemctl("restart", SERVICE)

    options = launch(belfry)
    assert "keepsake" in options["storedNames"]
    assert f"; stored {' '.join(options['storedNames'])}\n" in belfry.ctl("status").stdout


def test_every_launch_notification_carries_the_options(on_each):
    on_each.start()
    first = int(on_each.notifications()[0]["BELFRY_SEQUENCE"])

    subscriber = on_each.subscribe(after=first - 1, names=["willFinishLaunching", "didFinishLaunching"])

    assert subscriber.next()["userInfo"] == subscriber.next()["userInfo"] == launch(on_each)
