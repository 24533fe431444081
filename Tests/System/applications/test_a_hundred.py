# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A machine with a hundred applications, and with more than the system has room for."""

import pytest
from application import Application
from belfry_service import installed_host
from documentation import code_block
from host_roots import machine_root
from login_double import locks
from programs import memory
from systemd_host import SystemdHost

ZONE = "/etc/localtime"
NO_BUS = "systemd cannot be asked about "
NO_ZONE = "significantTimeChange= may not run: unable to watch '/etc': Too many open files (EMFILE)"


def seconds_of_boot(host: SystemdHost) -> float:
    """How long systemd took until all jobs of its boot were done."""
    show = ["show", "--property=UserspaceTimestampMonotonic,FinishTimestampMonotonic"]
    times = dict(line.split("=") for line in host.systemctl(*show).stdout.splitlines())
    return (int(times["FinishTimestampMonotonic"]) - int(times["UserspaceTimestampMonotonic"])) / 1e6


@pytest.fixture
def host():
    with installed_host("machine-end", machine_root(), keeps_journal=True) as belfry:
        belfry.host.reboot("multi-user.target")
        yield belfry.host


def applications(host: SystemdHost, count: int) -> list[Application]:
    """Units that start with the machine, each with an application that waits for the time zone and for a sleep."""
    made = [Application(host, f"shop{number}") for number in range(count)]
    for one in made:
        install = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
        host.write(f"/usr/lib/systemd/system/{one.unit.name}", install)
        one.commands["significantTimeChange"] = f"/bin/sh -c 'echo Zone >>{one.log}'"
        one.write_file()
    host.systemctl("daemon-reload")
    return made


def doubts(one: Application) -> str:
    """Why an application is degraded; empty if it is healthy."""
    state, *problems = one.ctl("is-active", check=False).stdout.splitlines()
    assert state == "active", state
    return "\n".join(problems)


def change_zone(host: SystemdHost) -> None:
    host.run("ln", "-s", "../usr/share/zoneinfo/Asia/Tokyo", f"{ZONE}.new")
    host.run("mv", "-T", f"{ZONE}.new", ZONE)


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_boot_starts_a_hundred_applications_and_none_lacks_anything(host, figures):
    bare = seconds_of_boot(host)
    made = applications(host, 100)
    host.systemctl("enable", *(one.unit.name for one in made))
    host.reboot("multi-user.target")

    for one in made:
        one.wait_until_up(120)
    resident = sum(memory(unit.outer_pid()) for one in made for unit in (one, one.listener))
    figures.append(
        f"100 applications: the boot took {seconds_of_boot(host):.1f} s (without {bare:.1f} s),"
        f" {resident / 100 / 1024:.1f} MiB each"
    )
    for one in made:
        one.wait_for(lambda one=one: doubts(one) == "", "be healthy", 120)
        # A sleep and a shutdown wait for each.
        assert locks(host, one.name.removesuffix(".service")) == {"sleep", "shutdown"}
    assert [one.done() for one in made] == [["Start"]] * 100
    change_zone(host)
    for one in made:
        one.wait_for(lambda one=one: one.done() == ["Start", "Zone"], "hear of the time zone")
    for one in made:
        one.ctl("pause")
        one.ctl("resume")
    host.systemctl("stop", *(one.unit.name for one in made), timeout=300)
    assert [one.done() for one in made] == [["Start", "Zone", "Pause", "Resume", "Stop"]] * 100
    assert {one.property("ActiveState") for one in made} == {"inactive"}


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_of_three_hundred_each_that_lacks_something_says_what(host):
    made = applications(host, 300)
    host.systemctl("start", *(one.unit.name for one in made), timeout=300)
    for one in made:
        one.wait_until_up(300)

    # Locks that logind was too busy to give are given later, and who has no connection keeps trying.
    for one in made:
        one.wait_for(lambda one=one: "Sleep=" not in doubts(one), "get the lock for a sleep", 300)
    told = {one: doubts(one) for one in made}
    without_bus = {one for one in made if NO_BUS in told[one]}
    without_zone = {one for one in made if NO_ZONE in told[one]}
    assert 0 < len(without_bus) < 100 and 0 < len(without_zone) < 200
    change_zone(host)
    for one in made:
        expected = (["Start"] if one not in without_bus else []) + (["Zone"] if one not in without_zone else [])
        one.wait_for(lambda one=one, expected=expected: one.done() == expected, f"do {expected}, as it says", 60)
    assert {told[one] for one in set(made) - without_bus - without_zone} == {""}

    # With the recipe of the page for the bus, each has a connection soon, and is told of its unit.
    host.write("/etc/dbus-1/system.d/belfry.conf", code_block("xml", "max_connections_per_user"))
    host.systemctl("reload", "dbus.service")
    for one in without_bus:
        one.wait_for(lambda one=one: "Start" in one.done() and NO_BUS not in doubts(one), "get a connection", 120)
    host.systemctl("stop", *(one.unit.name for one in made), timeout=600)
    assert {one.done()[-1] for one in made} == {"Stop"}
