# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Bridges, hosts and the broker are killed, and cables cut: the view stays right, and nothing is lost or doubled.

Killed is what has no time for a last word; the broker publishes the will of a host when it notices that the connection ended.
"""

import time
from contextlib import contextmanager

import pytest
from fleet_bed import HOSTS
from fleet_host import RENEWAL, FleetWatch, boots, missing_and_doubled
from fleet_spy import FleetSpy
from programs import Stopwatch

WORK = "com.example.work"
# The view must be right within so many seconds of what the broker can know.
TIMELY = 2
# Seconds until a host that says nothing is unknown.
VALID = 3 * RENEWAL
# Seconds until a connection is made again, after it was refused for some seconds.
AGAIN = 60


@contextmanager
def nothing_lost_or_doubled(fleet, *names):
    """What the hosts post during the block, and at its end, comes to a consumer once and in full."""
    watch = FleetWatch(fleet.operator, hosts="h?")
    try:
        for name in names:
            # From here on the operator misses nothing but what it has to ask for.
            fleet.operator.wait_for(lambda: fleet.hosts[name].post(WORK) and watch.of(name), f"show {name}")
        yield
        last = {name: fleet.hosts[name].post(WORK) for name in names}
        for name in names:
            fleet.operator.wait_for(
                lambda: last[name] in [n["sequence"] for n in watch.of(name)[-1:]], f"show {last[name]} of {name}", AGAIN
            )
    finally:
        watch.close()
    for name in names:
        missing, doubled = missing_and_doubled(watch.of(name))
        assert (missing, doubled) == ([], []), name
    assert watch.failure is None


def post(fleet, *names, count: int = 5) -> None:
    for name in names:
        fleet.hosts[name].post(WORK, count)


def test_bridge_is_killed(fleet):
    h1 = fleet.hosts["h1"]
    with nothing_lost_or_doubled(fleet, *HOSTS):
        post(fleet, *HOSTS)
        pid = h1.bridge.main_pid()
        h1.bridge.kill("KILL")
        post(fleet, *HOSTS)
        h1.bridge.wait_for(lambda: h1.bridge.main_pid() not in (0, pid), "start again")
        fleet.operator.wait_for_states(TIMELY + 5, h1="active")


def test_bridge_that_stays_away_is_dead_in_time_and_its_notifications_follow(fleet):
    h1 = fleet.hosts["h1"]
    with nothing_lost_or_doubled(fleet, *HOSTS):
        h1.host.systemctl("mask", "--runtime", h1.bridge.name)
        h1.bridge.kill("KILL")
        fleet.operator.wait_for_states(TIMELY, h1="dead", h2="active", h3="active")
        post(fleet, "h1", count=50)
        h1.host.systemctl("unmask", "--runtime", h1.bridge.name)
        h1.host.systemctl("start", h1.bridge.name)
        fleet.operator.wait_for_states(TIMELY + 3, h1="active")


def test_host_is_killed(fleet):
    with nothing_lost_or_doubled(fleet, "h1", "h3"):
        post(fleet, *HOSTS)
        fleet.kill_host("h2")
        fleet.operator.wait_for_states(TIMELY, h1="active", h2="dead", h3="active")
        post(fleet, "h1", "h3")
        fleet.boot_again("h2")
        fleet.operator.wait_for_states(TIMELY + 10, h2="active")


def test_broker_is_killed(fleet):
    with nothing_lost_or_doubled(fleet, *HOSTS):
        fleet.broker.kill()
        # Nobody knows anything.
        fleet.operator.wait_for_states(TIMELY, **dict.fromkeys(HOSTS, "unknown"))
        post(fleet, *HOSTS)
        fleet.broker.start()
        fleet.wait_until_active(AGAIN)


@pytest.mark.nightly
def test_host_is_killed_while_the_broker_is_away(fleet):
    """What it had in the boot that ended comes from its journal."""
    h2 = fleet.hosts["h2"]
    watch = FleetWatch(fleet.operator, hosts="h2")
    try:
        # From here on the operator misses nothing but what it has to ask for.
        before = h2.post(WORK)
        fleet.operator.wait_for(lambda: before in [n["sequence"] for n in watch.of("h2")[-1:]], f"show {before} of h2")
        fleet.broker.kill()
        last = h2.post(WORK, 20)
        h2.wait_until_logged()
        fleet.kill_host("h2")
        fleet.broker.start()
        fleet.boot_again("h2")
        fleet.operator.wait_for_states(AGAIN, h2="active")
        new = h2.post(WORK)
        shown = [last, new]
        fleet.operator.wait_for(
            lambda: [numbers[-1] for numbers in boots(watch.of("h2")).values()] == shown, f"show {shown} of h2", AGAIN
        )
    finally:
        watch.close()
    (first, earlier), (_, later) = boots(watch.of("h2")).items()
    assert earlier[earlier.index(before) :] == list(range(before, last + 1)), (first, watch.notes)
    assert later == list(range(1, new + 1)), (first, watch.notes)


def test_broker_and_host_are_killed_together(fleet):
    """There is no will: the last state of the host says how long it is valid."""
    with nothing_lost_or_doubled(fleet, "h1", "h3"):
        fleet.broker.kill()
        fleet.kill_host("h2")
        began = time.monotonic()
        fleet.broker.start()
        fleet.operator.wait_for_states(AGAIN, h1="active", h3="active")
        fleet.operator.wait_for_states(max(0, began + VALID - time.monotonic()) + TIMELY, h2="unknown")
        fleet.boot_again("h2")
        fleet.operator.wait_for_states(AGAIN, h2="active")


def test_cable_is_cut_for_a_moment(fleet):
    h1 = fleet.hosts["h1"]
    with nothing_lost_or_doubled(fleet, *HOSTS):
        for _ in range(3):
            with fleet.network.without(h1.host):
                post(fleet, *HOSTS, count=1)
        fleet.operator.wait_for_states(VALID + TIMELY, h1="active")


@pytest.mark.nightly
def test_cable_is_cut_until_the_broker_notices(fleet):
    h1 = fleet.hosts["h1"]
    spy = FleetSpy(fleet.broker)
    try:
        with nothing_lost_or_doubled(fleet, *HOSTS), fleet.network.without(h1.host):
            spy.wait_for_state("h1", "dead", 120)
            fleet.operator.wait_for_states(TIMELY, h1="dead")
            post(fleet, *HOSTS, count=50)
            fleet.network.join(h1.host)
            fleet.operator.wait_for_states(AGAIN, h1="active")
    finally:
        spy.close()


@pytest.mark.nightly
def test_cable_of_the_operator_is_cut(fleet):
    """The view knows nothing when it has noticed."""
    operator = fleet.operator
    with nothing_lost_or_doubled(fleet, *HOSTS), fleet.network.without(operator.host):
        operator.wait_for_states(120, **dict.fromkeys(HOSTS, "unknown"))
        post(fleet, *HOSTS, count=50)
        fleet.network.join(operator.host)
        fleet.wait_until_active(AGAIN)


@pytest.mark.nightly
def test_broker_that_stalls_blocks_no_bridge(fleet):
    h1 = fleet.hosts["h1"]
    with nothing_lost_or_doubled(fleet, *HOSTS):
        fleet.broker.pause()
        try:
            fleet.operator.wait_for_states(VALID + TIMELY, **dict.fromkeys(HOSTS, "unknown"))
            post(fleet, *HOSTS, count=20)
            # A reload of the bridge needs its loop.
            h1.host.systemctl("reload", h1.bridge.name, timeout=5)
            watch = Stopwatch(fleet.operator.outer_pid())
            fleet.operator.hosts()
            assert watch.seconds < 1
        finally:
            fleet.broker.resume()
        fleet.wait_until_active(AGAIN)
