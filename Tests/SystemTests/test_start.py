# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Starting: by the unit, by the first client, and not at all."""

from belfry_service import SERVICE, SOCKET

UNIT_STARTED = "39f53479d3a045ac8e11786248231fbf"


def position(records: list[dict], **fields: str) -> int:
    """The index of the first record with these fields."""
    return next(i for i, record in enumerate(records) if fields.items() <= record.items())


def test_start_returns_when_the_service_is_active(belfry):
    belfry.start()

    assert belfry.properties("ActiveState", "SubState", "NotifyAccess") == {
        "ActiveState": "active",
        "SubState": "running",
        "NotifyAccess": "main",
    }
    assert belfry.status()["state"] == "active"
    assert belfry.host.properties(SOCKET, "ActiveState") == {"ActiveState": "active"}


def test_systemd_hears_of_readiness_only_after_the_service_became_active(started):
    records = started.journal()

    launch = [r["BELFRY_NOTIFICATION"] for r in started.notifications()]
    assert launch == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]
    became_active = position(records, BELFRY_NOTIFICATION="didBecomeActive")
    assert became_active < position(records, MESSAGE_ID=UNIT_STARTED)


def test_first_client_starts_the_service_on_the_socket_it_connected_to(belfry):
    belfry.host.systemctl("start", SOCKET)
    assert belfry.properties("ActiveState") == {"ActiveState": "inactive"}
    before = belfry.socket_path().stat()

    with belfry.connect() as client:
        state = client.call("GetState")["state"]

    assert state in ("notRunning", "inactive", "active")
    assert belfry.subscribe().state["state"] == "active"
    assert belfry.properties("ActiveState") == {"ActiveState": "active"}
    after = belfry.socket_path().stat()
    assert (after.st_dev, after.st_ino) == (before.st_dev, before.st_ino)


def test_status_line_says_the_state(started):
    assert "active" in started.property("StatusText")

    subscriber = started.subscribe()
    started.kill("TSTP")
    subscriber.until("didEnterBackground")

    assert "background" in started.property("StatusText")


def test_the_socket_outlives_a_stop_and_brings_the_service_back(started):
    first = started.main_pid()
    started.host.systemctl("stop", SERVICE)

    with started.connect() as client:
        client.call("GetState")

    assert started.main_pid() not in (0, first)
