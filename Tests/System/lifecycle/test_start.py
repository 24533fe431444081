# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Starting: by the unit, by the first client, and not at all."""

from belfry_service import SERVICE, SOCKET

UNIT_STARTED = "39f53479d3a045ac8e11786248231fbf"


def position(records: list[dict], **fields: str) -> int:
    """The index of the first record with these fields."""
    return next(i for i, record in enumerate(records) if fields.items() <= record.items())


def test_start_returns_when_the_service_is_active(on_each):
    on_each.start()

    assert on_each.properties("ActiveState", "SubState", "NotifyAccess") == {
        "ActiveState": "active",
        "SubState": "running",
        "NotifyAccess": "main",
    }
    assert on_each.status()["state"] == "active"
    assert on_each.host.properties(SOCKET, "ActiveState") == {"ActiveState": "active"}


def test_readiness_is_sent_only_after_the_service_became_active(started_on_each):
    records = started_on_each.journal()

    launch = [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()]
    assert launch == ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]
    became_active = position(records, BELFRY_NOTIFICATION="didBecomeActive")
    assert became_active < position(records, MESSAGE_ID=UNIT_STARTED)


def test_first_client_starts_the_service_on_the_socket_it_connected_to(on_each):
    on_each.host.systemctl("start", SOCKET)
    assert on_each.properties("ActiveState") == {"ActiveState": "inactive"}
    before = on_each.socket_path().stat()

    with on_each.connect() as client:
        state = client.call("GetState")["state"]

    assert state in ("notRunning", "inactive", "active")
    assert on_each.subscribe().state["state"] == "active"
    assert on_each.properties("ActiveState") == {"ActiveState": "active"}
    after = on_each.socket_path().stat()
    assert (after.st_dev, after.st_ino) == (before.st_dev, before.st_ino)


def test_status_line_has_the_state(started_on_each):
    assert "active" in started_on_each.property("StatusText")

    subscriber = started_on_each.subscribe()
    started_on_each.kill("TSTP")
    subscriber.until("didEnterBackground")

    assert "background" in started_on_each.property("StatusText")


def test_socket_survives_a_stop_and_starts_the_service_again(started_on_each):
    first = started_on_each.main_pid()
    started_on_each.host.systemctl("stop", SERVICE)

    with started_on_each.connect() as client:
        client.call("GetState")

    assert started_on_each.main_pid() not in (0, first)
