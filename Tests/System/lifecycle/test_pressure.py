# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Real pressure: processes in the unit's control group read more than their memory limit."""

from contextlib import contextmanager

from belfry_instance import BelfryInstance
from documentation import code_block
from memory_hog import hog

# What the service says of a source that is missing.
MISSING = "372fb14339ed40e69af65832b6bb20ab"


def missing(unit) -> list[str]:
    return [record["MESSAGE"] for record in unit.journal() if record.get("MESSAGE_ID") == MISSING]


@contextmanager
def instance(belfry):
    """An instance, whose control group is in a slice of instances."""
    short = BelfryInstance(belfry.host, "short")
    try:
        short.start()
        yield short
    finally:
        short.remove()


def warning(belfry) -> dict:
    """The warning that follows when memory is short."""
    subscriber = belfry.subscribe()
    with hog(belfry):
        return subscriber.next()


def assert_is_warned(belfry) -> None:
    assert missing(belfry) == []
    found = warning(belfry)
    assert found["name"] == "didReceiveMemoryWarning"
    assert found["userInfo"]["level"] in ("some", "full")
    assert found["origin"]["kind"] == "service"


def test_service_and_instance_as_installed_are_warned_and_nothing_is_missing(started_on_each):
    assert ("MEMORY_PRESSURE_WATCH" in started_on_each.process("environ")) == (started_on_each.host.name == "trixie")
    assert_is_warned(started_on_each)
    with instance(started_on_each) as short:
        assert_is_warned(short)


def test_warning_by_the_variables_of_systemd_has_its_level(belfry_on_trixie):
    belfry_on_trixie.use_notify_reload()
    belfry_on_trixie.start()
    assert "MEMORY_PRESSURE_WATCH=/sys/fs/cgroup/" in belfry_on_trixie.process("environ")

    found = warning(belfry_on_trixie)

    assert (found["name"], found["userInfo"]) == ("didReceiveMemoryWarning", {"level": "some"})
    record = next(r for r in belfry_on_trixie.notifications() if r["BELFRY_NOTIFICATION"] == found["name"])
    assert record["MESSAGE"].endswith("level some")


def without_variables(unit) -> dict[str, str]:
    """Settings of a unit for which systemd names no file, as versions before 254 do."""
    return {"MemoryPressureWatch": "skip"} if unit.host.name == "trixie" else {}


def test_settings_of_the_page_give_the_file_to_the_user_of_a_unit(probe):
    settings = dict(line.split("=", 1) for line in code_block("ini", "ExecStartPre=+-chown").splitlines())
    probe.start("plain", User="belfry", ProtectControlGroups="yes", **settings, **without_variables(probe))

    assert missing(probe) == []


def test_missing_permission_is_logged_once_and_the_service_runs(on_each):
    on_each.drop_in(ExecStartPre="", **without_variables(on_each))
    on_each.start()

    group = on_each.property("ControlGroup")
    reason = "Permission denied (EACCES)"
    assert missing(on_each) == [f"unable to open '/sys/fs/cgroup{group}/memory.pressure': {reason}, doing without it"]
    assert on_each.status()["state"] == "active"
