# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The hosts live as long as the test run; every test begins with Belfry installed, stopped and not configured."""

import os

import control_groups
import pytest
from belfry_service import BelfryService, installed_host
from host_roots import debian_root, machine_root
from listener_unit import ListenerUnit
from login_double import BOTH, LoginDouble, wait_for_locks
from private_mounts import enter_private_mounts
from probe_service import ProbeService


def pytest_addoption(parser):
    parser.addoption("--host", choices=["machine", "trixie"], help="only the tests that run on this host")
    parser.addoption("--short", action="store_true", help="without the tests that only 'make nightly' runs")


def pytest_configure(config):
    config.addinivalue_line("markers", "nightly: takes long, so only 'make nightly' runs it")
    config.addinivalue_line("markers", "first: waits long, so it begins first, and others run meanwhile")


def pytest_collection_modifyitems(config, items):
    for item in items:
        # With several processes, one runs all tests of a file on a host.
        item.add_marker(pytest.mark.xdist_group(f"{item.path.stem} on {_host(item)}"))
    host, short = config.getoption("--host"), config.getoption("--short")
    chosen = [item for item in items if host in (None, _host(item)) and not (short and _is_for_the_night(item))]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = sorted(chosen, key=lambda item: item.get_closest_marker("first") is None)


def _is_for_the_night(item) -> bool:
    # What has a parameter for the host runs on each.
    return item.get_closest_marker("nightly") is not None or "trixie_host" in item.name


def _host(item) -> str:
    """The host that the test uses. One that uses none counts as the machine's."""
    # The fixtures, and the parameters, which are part of the test's name, contain the name of the host.
    return "trixie" if any("trixie" in name for name in (item.name, *item.fixturenames)) else "machine"


def pytest_sessionstart(session):
    if os.geteuid() != 0:
        pytest.exit("unable to boot systemd: the system tests need root", returncode=77)
    enter_private_mounts()
    control_groups.remove_stale()


@pytest.fixture
def figures(request) -> list[str]:
    """Lines printed at the end of the test run, even if the test fails."""
    lines: list[str] = []
    # A property of the test's report, because that is what another process sends to the one that prints.
    request.node.user_properties.append(("figures", lines))
    return lines


def pytest_terminal_summary(terminalreporter):
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.getreports(kind)]
    lines = [line for report in reports if report.when == "call" for _, lines in report.user_properties for line in lines]
    if lines:
        terminalreporter.section("figures")
    for line in lines:
        terminalreporter.line(line)


@pytest.fixture(scope="session")
def machine_host():
    """Belfry on this machine's systemd."""
    with installed_host("machine", machine_root()) as belfry:
        yield belfry
        assert belfry.killed_by_filters() == ""


@pytest.fixture(scope="session")
def trixie_host():
    """Belfry on Debian 13: systemd 257, with varlinkctl and notify-reload."""
    with installed_host("trixie", debian_root("trixie")) as belfry:
        yield belfry
        assert belfry.killed_by_filters() == ""


EACH = ["machine_host", "trixie_host"]


def as_installed(belfry: BelfryService) -> BelfryService:
    belfry.reset()
    return belfry


@pytest.fixture
def belfry(machine_host):
    return as_installed(machine_host)


@pytest.fixture
def belfry_on_trixie(trixie_host):
    return as_installed(trixie_host)


@pytest.fixture(params=EACH)
def probe(request):
    """A service built on the library, on each systemd in turn."""
    probe = ProbeService(request.getfixturevalue(request.param).host)
    yield probe
    probe.remove()


@pytest.fixture
def started(belfry):
    belfry.start()
    return belfry


@pytest.fixture(params=EACH)
def on_each(request):
    """Belfry on each systemd in turn."""
    return as_installed(request.getfixturevalue(request.param))


@pytest.fixture
def started_on_each(on_each):
    on_each.start()
    return on_each


@pytest.fixture
def waiting(started_on_each):
    """An idle service: nothing that it has requested is outstanding."""
    wait_for_locks(started_on_each, BOTH)
    started_on_each.ctl("status")
    return started_on_each


@pytest.fixture
def login(on_each):
    """A double of logind that the test controls; the service has not been started."""
    double = LoginDouble(on_each.host)
    try:
        double.start()
        on_each.wait_for(double.is_there, "see the double of logind", 10)
        yield double
    finally:
        double.restore()


@pytest.fixture
def listener(on_each):
    """A listener without a file; the service has not been started."""
    unit = ListenerUnit(on_each, "guard")
    yield unit
    unit.remove()
