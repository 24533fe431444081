# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Starting by the unit, and what clients find meanwhile."""

import pytest
from belfry_service import SERVICE

UNIT_STARTED = "39f53479d3a045ac8e11786248231fbf"


def position(records: list[dict], **fields: str) -> int:
    """The index of the first record with these fields."""
    return next(i for i, record in enumerate(records) if fields.items() <= record.items())


def test_readiness_is_sent_only_after_the_service_became_active(started_on_each):
    records = started_on_each.journal()

    launch = [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()]
    assert launch == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]
    became_active = position(records, BELFRY_NOTIFICATION="didBecomeActive")
    assert became_active < position(records, MESSAGE_ID=UNIT_STARTED)


def test_no_client_starts_a_stopped_service(started_on_each):
    path = started_on_each.socket_path()
    assert path.is_socket()

    started_on_each.host.systemctl("stop", SERVICE)

    assert not path.exists()
    for command in (["status"], ["list"], ["listeners"]):
        started_on_each.ctl(*command, check=False)
    assert started_on_each.properties("ActiveState") == {"ActiveState": "inactive"}


def test_client_waits_for_a_service_that_restarts(started_on_each):
    started_on_each.drop_in(RestartSec="2")
    before = started_on_each.main_pid()
    inode = started_on_each.socket_path().stat().st_ino

    for interruption in (["kill", "--signal=KILL"], ["restart", "--no-block"]):
        started_on_each.wait_for_bus()
        started_on_each.host.systemctl(*interruption, SERVICE)
        started_on_each.wait_for(lambda: started_on_each.main_pid() != before, "end")
        with started_on_each.connect() as client:
            now = client.call("GetState")["pid"]
        assert now != before
        before = now

    assert started_on_each.socket_path().stat().st_ino == inode


def test_clients_are_refused_when_systemd_does_not_start_the_service_again(started_on_each):
    started_on_each.drop_in(Restart="no")
    started_on_each.kill("KILL")
    started_on_each.wait_until_inactive()

    with pytest.raises(ConnectionRefusedError):
        started_on_each.connect()

    started_on_each.start()
    assert started_on_each.status()["state"] == "active"


def test_a_second_process_of_root_is_refused_and_replaces_nothing(started_on_each):
    belfry = started_on_each
    belfry.ctl("pause")
    files = [belfry.host.path(path) for path in ("/run/belfry/paused", "/var/lib/belfry/last-word")]
    belfry.wait_for(lambda: '"kind":"paused"' in files[1].read_text(), "record the pause")
    before = [(file.stat().st_uid, file.read_text()) for file in files]

    second = belfry.host.run("belfryd", check=False)

    assert second.returncode == 71, second.stderr
    assert "it runs already, another process has locked '/run/belfry/sequence'" in second.stderr
    assert [(file.stat().st_uid, file.read_text()) for file in files] == before
