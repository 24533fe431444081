# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The clock and the time zone. A test double in C replaces the machine's own clock."""

import pytest
from belfry_service import SERVICE
from clock_double import ENVIRONMENT, ClockDouble
from sequences import CONTINUE

ZONE = "/etc/localtime"


def set_zone(belfry, name: str) -> None:
    """As timedatectl does it: another link takes the place of the old one."""
    belfry.host.run("ln", "-s", f"../usr/share/zoneinfo/{name}", f"{ZONE}.new")
    belfry.host.run("mv", "-T", f"{ZONE}.new", ZONE)


@pytest.fixture
def in_berlin(on_each):
    before = on_each.host.run("readlink", ZONE, check=False).stdout.strip()
    set_zone(on_each, "Europe/Berlin")
    on_each.start()
    yield on_each
    on_each.host.run("rm", ZONE)
    if before:
        on_each.host.run("ln", "-s", before, ZONE)


def test_change_of_the_time_zone_has_both_names(in_berlin):
    subscriber = in_berlin.subscribe()

    set_zone(in_berlin, "Asia/Tokyo")

    change = subscriber.next()
    assert change["name"] == "significantTimeChange"
    assert change["userInfo"] == {
        "cause": "timeZone",
        "previousTimeZone": "Europe/Berlin",
        "timeZone": "Asia/Tokyo",
    }
    assert in_berlin.notifications()[-1]["MESSAGE"].endswith("time zone Europe/Berlin -> Asia/Tokyo")


@pytest.fixture
def clock(on_each):
    double = ClockDouble(on_each.host)
    on_each.drop_in(Environment=ENVIRONMENT)
    on_each.start()
    yield double
    on_each.host.systemctl("stop", SERVICE)
    double.remove()


def test_clock_set_during_a_sleep_posts_both(clock, on_each):
    subscriber = on_each.subscribe()
    on_each.ctl("pause")
    subscriber.until("didEnterBackground")

    assert clock.move((65_000_000, 5_000_000))

    seen = subscriber.until("significantTimeChange")
    assert [n["name"] for n in seen] == ["didResume", *CONTINUE, "significantTimeChange"]
    assert abs(seen[-1]["userInfo"]["stepUsec"] - 60_000_000) < 1000


def test_days_that_begin_during_a_sleep_are_one_notification_for_a_listener(clock, on_each):
    subscriber = on_each.subscribe()
    nights = (2 * 86_400_000_000, 2 * 86_400_000_000)

    assert clock.move(nights)
    assert subscriber.next()["name"] == "didResume"
    with on_each.connect() as program:
        program.attach("diary", "significantTimeChange")
        assert clock.move(nights)
        assert program.reply()["notification"]["userInfo"] == {"cause": "day"}
        on_each.kill("USR1")
        seen = subscriber.until("flushRequested")

    assert [n["name"] for n in seen] == ["didResume", "significantTimeChange", "flushRequested"]
    assert on_each.notifications()[-2]["MESSAGE"].endswith("a new day")


@pytest.mark.parametrize("count", [1, 2])
def test_sleep_while_a_change_of_the_clock_is_handled_posts_both(clock, on_each, count):
    """The kernel reports each when the timer is armed again."""
    subscriber = on_each.subscribe()

    assert clock.move(*count * [(60_000_000, 0)], (5_000_000, 5_000_000))

    assert {subscriber.next()["name"] for _ in range(2)} == {"didResume", "significantTimeChange"}
