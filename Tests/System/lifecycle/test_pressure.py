# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Real pressure: processes in the unit's control group read more than their memory limit."""

import pytest
from belfry_service import DROP_INS, SERVICE
from memory_hog import hog

EXAMPLE = f"/usr/share/doc/belfry/Examples/{SERVICE}.d/pressure.conf"


def test_systemd_provides_the_file_and_pressure_is_posted(belfry_on_trixie):
    belfry_on_trixie.use_notify_reload()
    belfry_on_trixie.start()
    assert "MEMORY_PRESSURE_WATCH=/sys/fs/cgroup/" in belfry_on_trixie.process("environ")
    subscriber = belfry_on_trixie.subscribe()

    with hog(belfry_on_trixie):
        warning = subscriber.next()

    assert warning["name"] == "didReceiveMemoryWarning"
    assert warning["userInfo"] == {"level": "some"}
    assert warning["origin"]["kind"] == "service"
    record = next(r for r in belfry_on_trixie.notifications() if r["BELFRY_NOTIFICATION"] == warning["name"])
    assert record["MESSAGE"].endswith("level some")


@pytest.fixture
def with_example(on_each):
    """The example drop-in for versions that provide no file; for others this is turned off."""
    text = on_each.host.path(EXAMPLE).read_text()
    on_each.host.write(f"{DROP_INS}/pressure.conf", text)
    if on_each.host.name == "trixie":
        on_each.drop_in(MemoryPressureWatch="skip")
    on_each.host.systemctl("daemon-reload")
    on_each.start()
    return on_each


def test_pressure_from_the_file_of_the_unit_is_posted_with_its_level(with_example):
    assert "MEMORY_PRESSURE_WATCH" not in with_example.process("environ")
    subscriber = with_example.subscribe()

    with hog(with_example):
        warning = subscriber.next()

    assert warning["name"] == "didReceiveMemoryWarning"
    assert warning["userInfo"]["level"] in ("some", "full")


def test_missing_permission_is_logged_once_and_the_service_runs(on_each):
    on_each.drop_in(**skip(on_each))
    on_each.start()

    group = on_each.property("ControlGroup")
    messages = [message for message in on_each.messages() if "memory.pressure" in message]
    reason = "Permission denied (EACCES)"
    assert messages == [f"unable to open '/sys/fs/cgroup{group}/memory.pressure': {reason}, doing without it"]
    assert on_each.status()["state"] == "active"


def skip(belfry) -> dict[str, str]:
    """Turns the variables off, if this systemd knows them."""
    return {"MemoryPressureWatch": "skip"} if belfry.host.name == "trixie" else {}
