# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An attached program as a listener: the Python example refuses a reload, delays a stop, and is killed during it."""

import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from belfry_service import SERVICE
from host_roots import PROJECT
from programs import running
from varlink_client import NOBODY, VarlinkError

RECORDER = PROJECT / "Examples" / "PythonListener" / "recorder.py"


@contextmanager
def recorder(belfry, finish: float):
    """The attached example."""
    command = [sys.executable, str(RECORDER), str(belfry.socket_path()), str(finish)]
    with running(command, stdout=subprocess.PIPE) as program:
        assert program.stdout.readline() == "recording\n"
        yield program


def reports(belfry) -> list[dict]:
    return [r for r in belfry.journal() if r.get("BELFRY_LISTENER") == "recorder" and "BELFRY_OUTCOME" in r]


def test_attached_listener_is_listed(started_on_each):
    with recorder(started_on_each, 0):
        listeners = {listener["name"]: listener for listener in started_on_each.listeners()}
    assert listeners["recorder"]["interests"] == ["willReload", "didFailToReload", "willTerminate"]


def test_attached_listener_refuses_a_reload(started_on_each):
    with recorder(started_on_each, 0) as program:
        done = started_on_each.host.systemctl("reload", SERVICE, check=False)
        assert done.returncode != 0
        assert [program.stdout.readline() for _ in range(2)] == ["willReload\n", "didFailToReload\n"]
    assert "recorder: a recording is under way" in "\n".join(started_on_each.messages())
    [report] = reports(started_on_each)
    assert (report["BELFRY_NOTIFICATION"], report["BELFRY_OUTCOME"]) == ("willReload", "refused")


def test_reload_succeeds_after_it_has_detached(started_on_each):
    with recorder(started_on_each, 0):
        pass
    started_on_each.host.systemctl("reload", SERVICE)


def test_attached_listener_delays_a_stop(started_on_each):
    with recorder(started_on_each, 2) as program:
        begin = time.monotonic()
        started_on_each.host.systemctl("stop", SERVICE)
        took = time.monotonic() - begin
        assert program.stdout.read() == "willTerminate\nfile closed\n"
        assert program.wait(10) == 0
    assert took >= 2
    assert reports(started_on_each) == []


def test_attached_listener_gets_more_time_than_the_unit_allows_while_it_reports_progress(on_each):
    on_each.drop_in(TimeoutStopSec="3s")
    on_each.start()
    with recorder(on_each, 8) as program:
        begin = time.monotonic()
        on_each.host.systemctl("--no-block", "stop", "belfryd.service")
        on_each.wait_for(lambda: "waiting for 'recorder': closing the file" in status(on_each), "name whom it waits for")
        on_each.wait_until_inactive()
        took = time.monotonic() - begin
        assert program.stdout.read() == "willTerminate\nfile closed\n"
    assert took >= 8
    assert on_each.properties("Result") == {"Result": "success"}
    assert reports(on_each) == []


def status(belfry) -> str:
    return belfry.properties("StatusText")["StatusText"]


def test_service_continues_when_an_attached_listener_is_killed_during_a_call(started_on_each):
    with recorder(started_on_each, 15) as program:
        begin = time.monotonic()
        started_on_each.host.systemctl("--no-block", "stop", SERVICE)
        assert program.stdout.readline() == "willTerminate\n"
        program.kill()
        started_on_each.wait_until_inactive()
        took = time.monotonic() - begin
    assert took < 15
    assert started_on_each.property("Result") == "success"
    [report] = reports(started_on_each)
    assert (report["BELFRY_NOTIFICATION"], report["BELFRY_OUTCOME"]) == ("willTerminate", "failed")
    assert "its program disconnected" in report["MESSAGE"]


def test_hold_delays_a_stop_until_its_client_is_gone(started_on_each):
    with started_on_each.connect() as holder:
        holder.send("Hold", {"reason": "backup"}, more=True)
        assert holder.reply() == {"held": True}
        started_on_each.host.systemctl("--no-block", "stop", SERVICE)
        assert holder.reply() == {"held": True, "waiting": "stop"}
        with started_on_each.connect() as client:
            assert client.call("GetState")["state"] == "inactive"
            assert [h["reason"] for h in client.call("ListHolds")["holds"]] == ["backup"]
    started_on_each.wait_until_inactive()
    assert "stop waits for 'backup'" in started_on_each.messages()


def test_user_without_permission_may_neither_hold_nor_attach(started_on_each):
    with started_on_each.connect(uid=NOBODY) as stranger:
        for method, parameters in (("Hold", {"reason": "x"}), ("Attach", {"listener": "x", "names": []})):
            stranger.send(method, parameters, more=True)
            with pytest.raises(VarlinkError, match="PermissionDenied"):
                stranger.reply()
