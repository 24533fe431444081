# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The hosts live as long as the test run; every test begins with Belfry installed, stopped and not configured."""

import os

import control_groups
import pytest
from belfry_service import BelfryService
from host_roots import debian_root, machine_root
from login_double import BOTH, LoginDouble, wait_for_locks
from private_mounts import enter_private_mounts
from probe_service import ProbeService
from systemd_host import SystemdHost


def pytest_addoption(parser):
    parser.addoption("--host", choices=["machine", "trixie"], help="only the tests that run on this host")


def pytest_collection_modifyitems(config, items):
    """With --host, leaves out the tests of the other host. One that uses none counts as the machine's."""
    wanted = config.getoption("--host")
    if wanted is None:
        return
    chosen = [item for item in items if _host(item) == wanted]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def _host(item):
    # The fixtures, and the parameters, which are part of the test's name, contain the name of the host.
    return "trixie" if any("trixie" in name for name in (item.name, *item.fixturenames)) else "machine"


def pytest_sessionstart(session):
    if os.geteuid() != 0:
        pytest.exit("unable to boot systemd: the system tests need root", returncode=77)
    enter_private_mounts()
    control_groups.remove_stale()


FIGURES = pytest.StashKey[list]()


@pytest.fixture
def figures(request) -> list[str]:
    """Lines printed at the end of the test run, even if it fails."""
    return request.config.stash.setdefault(FIGURES, [])


def pytest_terminal_summary(terminalreporter, config):
    lines = config.stash.get(FIGURES, [])
    if lines:
        terminalreporter.section("figures")
    for line in lines:
        terminalreporter.line(line)


def installed_on(name, lower):
    host = SystemdHost(name, lower)
    try:
        host.boot()
        belfry = BelfryService(host)
        belfry.install()
        yield belfry
    finally:
        host.shut_down()


@pytest.fixture(scope="session")
def machine_host():
    """Belfry on this machine's systemd."""
    yield from installed_on("machine", machine_root())


@pytest.fixture(scope="session")
def trixie_host():
    """Belfry on Debian 13: systemd 257, with varlinkctl and notify-reload."""
    yield from installed_on("trixie", debian_root("trixie"))


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
