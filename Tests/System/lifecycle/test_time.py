# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The clock and the time zone. A test double in C replaces the machine's own clock."""

import subprocess

import pytest
from belfry_service import SERVICE
from host_roots import KIT
from sequences import CONTINUE

ZONE = "/etc/localtime"
DOUBLE = "/usr/lib/belfry-clock-double.so"
SHIFT = "/var/lib/belfry/clock-shift"


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


def test_other_files_beside_the_time_zone_post_nothing(in_berlin):
    subscriber = in_berlin.subscribe()

    in_berlin.host.run("touch", "/etc/belfry-was-here")
    set_zone(in_berlin, "Europe/Berlin")
    set_zone(in_berlin, "Asia/Tokyo")

    assert subscriber.next()["userInfo"]["timeZone"] == "Asia/Tokyo"


class ClockDouble:
    """A layer between belfryd and its clocks: shifts their time, and cancels the timer as the kernel does."""

    def __init__(self, belfry):
        self.belfry = belfry
        self.shift = [0, 0]
        library = belfry.host.path(DOUBLE)
        source = KIT / "clock_double.c"
        build = ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(library), str(source)]
        subprocess.run(build, check=True)
        belfry.host.run("install", "-d", "-o", "belfry", "-g", "belfry", "/var/lib/belfry")
        belfry.host.run("mkfifo", SHIFT)
        belfry.host.run("chown", "belfry", SHIFT)
        belfry.drop_in(Environment=f"LD_PRELOAD={DOUBLE} CLOCK_DOUBLE={SHIFT}")
        belfry.start()

    def move(self, realtime: int = 0, boottime: int = 0) -> None:
        """Moves the clocks on by so many microseconds, in one step."""
        self.move_in_steps((realtime, boottime))

    def move_in_steps(self, *steps: tuple[int, int]) -> None:
        """Moves the clocks on by all these microseconds before belfryd can look at them."""
        lines = "".join(f"{realtime} {boottime}\\n" for realtime, boottime in steps)
        self.belfry.host.run("sh", "-c", f"printf '{lines}' >{SHIFT}")


@pytest.fixture
def clock(on_each):
    yield ClockDouble(on_each)
    on_each.host.systemctl("stop", SERVICE)
    on_each.host.run("rm", "-f", SHIFT, DOUBLE)


def test_clock_set_during_a_sleep_posts_both(clock):
    subscriber = clock.belfry.subscribe()
    clock.belfry.kill("TSTP")
    subscriber.until("didEnterBackground")

    clock.move(realtime=65_000_000, boottime=5_000_000)

    seen = subscriber.until("significantTimeChange")
    assert [n["name"] for n in seen] == ["didResume", *CONTINUE, "significantTimeChange"]
    assert abs(seen[-1]["userInfo"]["stepUsec"] - 60_000_000) < 1000


@pytest.mark.parametrize("count", [1, 2])
def test_sleep_while_a_change_of_the_clock_is_handled_posts_both(clock, count):
    """The kernel reports the sleep by read(2), or when the timer is armed again."""
    subscriber = clock.belfry.subscribe()

    clock.move_in_steps(*count * [(60_000_000, 0)], (5_000_000, 5_000_000))

    assert {subscriber.next()["name"] for _ in range(2)} == {"didResume", "significantTimeChange"}
