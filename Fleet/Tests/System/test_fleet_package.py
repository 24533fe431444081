# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The Debian package of the fleet, beside that of Belfry."""

import re
import subprocess
from pathlib import Path

import pytest
from bare_host import booted
from debian_packages import build, run, with_higher_version
from fleet_roots import fleet_root
from host_roots import PROJECT

FLEETD = "belfry-fleetd.service"
FLEET_CONFIGURATION = "/etc/belfry/fleet.conf"
# Nobody listens there.
FLEET = "[Broker]\nUrl=mqtt://127.0.0.1:1\n"


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> dict[str, Path]:
    lists = re.findall(r"^(?:FLEET_)?PROGRAMS = (.*)", (PROJECT / "Makefile").read_text(), re.MULTILINE)
    return build(tmp_path_factory.mktemp("package") / "deb", *" ".join(lists).split())


@pytest.fixture(scope="module")
def package(packages) -> Path:
    return packages["belfry"]


@pytest.fixture(scope="module")
def fleet_package(packages) -> Path:
    return packages["belfry-fleet"]


@pytest.fixture(scope="module")
def newer(package, tmp_path_factory) -> Path:
    return with_higher_version(package, tmp_path_factory.mktemp("newer"))


@pytest.fixture(scope="module")
def newer_fleet_package(fleet_package, tmp_path_factory) -> Path:
    return with_higher_version(fleet_package, tmp_path_factory.mktemp("newer"), changed=FLEET_CONFIGURATION)


@pytest.fixture(params=[pytest.param("bookworm", marks=pytest.mark.nightly), "trixie"])
def bare(request):
    """A Debian without Belfry and without the libraries that only belfry-fleet needs."""
    with booted(f"bare-{request.param}", fleet_root(request.param)) as host:
        yield host


def test_lintian_finds_nothing(package):
    changes = next(package.parent.glob("*.changes"))

    assert subprocess.run(["lintian", "--allow-root", changes], capture_output=True, text=True).stdout == ""


def test_package_of_a_fleet_brings_libraries_of_its_own_and_the_same_version_of_belfry(package, fleet_package):
    version = run("dpkg-deb", "--field", package, "Version").strip()
    needed, of_fleet = (run("dpkg-deb", "--field", one, "Depends").strip().split(", ") for one in (package, fleet_package))
    names = {text.split()[0] for text in of_fleet}

    assert f"belfry (= {version})" in of_fleet
    assert "libmosquitto1" in names
    assert "libmosquitto1" not in {text.split()[0] for text in needed}


def test_package_of_a_fleet_is_installed_upgraded_downgraded_removed_and_purged(
    bare, package, fleet_package, newer, newer_fleet_package
):
    def state(verb: str) -> str:
        return bare.host.systemctl(verb, FLEETD, check=False).stdout.strip()

    def pid() -> str:
        return bare.host.systemctl("show", "--property=MainPID", "--value", FLEETD).stdout.strip()

    before = bare.files()

    # With the libraries that it needs, which a minimal Debian does not have.
    bare.install_packages(package, fleet_package)
    assert (state("is-enabled"), state("is-active")) == ("disabled", "inactive")
    bare.host.systemctl("enable", "--now", "belfryd.service")
    # An empty fleet.conf lacks the address of the broker.
    assert bare.host.run("belfry-fleetd", "--check-config", check=False).returncode == 78
    # It starts without a broker, and without any of the credentials that the unit names.
    configured = bare.host.path(FLEET_CONFIGURATION).read_text() + FLEET
    bare.host.write(FLEET_CONFIGURATION, configured)
    bare.host.systemctl("enable", "--now", FLEETD)
    assert state("is-active") == "active"
    first = pid()
    configured += "[Fleet]\nRenewal=1min\n"
    bare.host.write(FLEET_CONFIGURATION, configured)
    bare.host.systemctl("reload", FLEETD)
    bare.wait_for(lambda: "didReload" in bare.host.run("journalctl", "-u", FLEETD, "-o", "cat").stdout, "reload the bridge")

    bare.install_packages(newer, newer_fleet_package)
    second = pid()
    assert state("is-active") == "active" and second != first
    assert bare.host.path(FLEET_CONFIGURATION).read_text() == configured
    # dpkg has seen that the file of the package is another one.
    assert "# of the newer version" in bare.host.path(f"{FLEET_CONFIGURATION}.dpkg-dist").read_text()
    bare.install_packages(package, fleet_package)
    assert state("is-active") == "active" and pid() != second
    assert bare.host.path(FLEET_CONFIGURATION).read_text() == configured

    bare.apt("remove", "belfry-fleet")
    assert bare.processes() == ["belfryd"]
    bare.apt("purge", "belfry")
    assert bare.host.path(FLEET_CONFIGURATION).read_text() == configured

    # With all libraries that it brought, also those that other packages recommend or suggest.
    unneeded = [f"--option=APT::AutoRemove::{kind}Important=no" for kind in ("Recommends", "Suggests")]
    bare.apt("purge", "--autoremove", *unneeded, "belfry-fleet")
    assert bare.files() - before == set()
    assert bare.processes() == []
