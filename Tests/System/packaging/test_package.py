# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The Debian packages, on a system that has nothing but systemd and libraries."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from bare_host import BareHost
from belfry_instance import BelfryInstance
from belfry_service import CONFIGURATION, SERVICE
from documentation import code_block, commands
from host_roots import PROJECT, debian_root
from hosted_user import HostedUser
from systemd_host import SystemdHost

NEWER = "99.0.0"
FETCH = "belfryd-fetch.timer"
FLEETD = "belfry-fleetd.service"
FLEET_CONFIGURATION = "/etc/belfry/fleet.conf"
# What is left when the programs are removed: configuration and state, and until the next boot the links of tmpfiles.d.
LINKS = tuple(f"/run/{folder}/io.belfry.Lifecycle" for folder in ("varlink/registry", "systemd/report"))
REMAINING = ("/etc/belfry/", "/run/belfry/", "/var/lib/belfry/", "/var/cache/belfry/", *LINKS)
# Nobody listens there.
FLEET = "[Broker]\nUrl=mqtt://127.0.0.1:1\n"


def run(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> Path:
    """The folder of both packages."""
    folder = tmp_path_factory.mktemp("package") / "deb"
    programs = re.search(r"^PROGRAMS = (.*)", (PROJECT / "Makefile").read_text(), re.MULTILINE)[1].split()
    run(PROJECT / "scripts/make-deb", folder, *programs)
    return folder


@pytest.fixture(scope="module")
def package(packages) -> Path:
    return next(packages.glob("belfry_*.deb"))


@pytest.fixture(scope="module")
def fleet_package(packages) -> Path:
    return next(packages.glob("belfry-fleet_*.deb"))


def with_higher_version(package: Path, folder: Path, changed: str | None = None) -> Path:
    """The same package with a higher version, in which one file has another line."""
    content = folder / package.stem
    run("dpkg-deb", "--raw-extract", package, content)
    if changed:
        with open(content / changed[1:], "a") as file:
            file.write("# of the newer version\n")
    control = content / "DEBIAN/control"
    version = run("dpkg-deb", "--field", package, "Version").strip()
    control.write_text(control.read_text().replace(version, NEWER))
    run("dpkg-deb", "-Znone", "--build", "--root-owner-group", content, folder / package.name)
    return folder / package.name


@pytest.fixture(scope="module")
def newer(package, tmp_path_factory) -> Path:
    return with_higher_version(package, tmp_path_factory.mktemp("newer"))


@pytest.fixture(scope="module")
def newer_fleet_package(fleet_package, tmp_path_factory) -> Path:
    return with_higher_version(fleet_package, tmp_path_factory.mktemp("newer"), changed=FLEET_CONFIGURATION)


@pytest.fixture(params=[pytest.param("bookworm", marks=pytest.mark.nightly), "trixie"])
def bare(request):
    """A service that is not installed, on a Debian without the libraries that only belfry-fleet needs."""
    host = SystemdHost(f"bare-{request.param}", debian_root(request.param))
    try:
        host.boot()
        yield BareHost(host)
    finally:
        host.shut_down()


def test_lintian_finds_nothing(package):
    changes = next(package.parent.glob("*.changes"))
    found = subprocess.run(["lintian", "--allow-root", changes], capture_output=True, text=True)

    assert found.stdout == ""


@pytest.mark.parametrize("name", ["package", "fleet_package"])
def test_version_is_the_same_everywhere(name, request, tmp_path):
    package = request.getfixturevalue(name)
    run("dpkg-deb", "--extract", package, tmp_path)
    version = run("dpkg-deb", "--field", package, "Version").strip()

    for program in (tmp_path / "usr/bin").iterdir():
        assert run(program, "--version") == f"{program.name} {version}\n"
    for page in (tmp_path / "usr/share/man").rglob("*.gz"):
        if not page.is_symlink():
            assert f'"Belfry {version}"' in gzip.decompress(page.read_bytes()).decode()


def test_libraries_that_the_programs_need_are_in_debian_12_and_13(package):
    """glibc 2.36 is the first that reads packed relocations."""
    needed = run("dpkg-deb", "--field", package, "Depends").split(", ")

    assert "libc6 (>= 2.36)" in needed and any(name.startswith("libsystemd0") for name in needed)
    assert not any(name.startswith(("libstdc++", "libswift")) for name in needed)


def test_package_of_a_fleet_brings_libraries_of_its_own_and_the_same_version_of_belfry(package, fleet_package):
    version = run("dpkg-deb", "--field", package, "Version").strip()
    needed, of_fleet = (run("dpkg-deb", "--field", one, "Depends").strip().split(", ") for one in (package, fleet_package))
    names = {text.split()[0] for text in of_fleet}

    assert f"belfry (= {version})" in of_fleet
    assert "libmosquitto1" in names
    assert "libmosquitto1" not in {text.split()[0] for text in needed}


@pytest.mark.parametrize("name", ["package", "fleet_package"])
def test_programs_need_only_libraries_of_debian(name, request, tmp_path):
    run("dpkg-deb", "--extract", request.getfixturevalue(name), tmp_path)

    for program in (tmp_path / "usr/bin").iterdir():
        dynamic = run("readelf", "--dynamic", program)
        assert "libsystemd.so.0" in dynamic
        assert "RPATH" not in dynamic and "RUNPATH" not in dynamic
        assert "libswift" not in dynamic and "libstdc++" not in dynamic


def test_package_is_installed_upgraded_downgraded_removed_and_purged(bare, package, newer):
    bare.apt("install", "dbus-user-session")
    ann, bob = HostedUser(bare.host, "ann"), HostedUser(bare.host, "bob")
    before = bare.files()

    bare.install_packages(package)
    assert bare.host.systemctl("is-active", SERVICE).stdout.strip() == "active"
    assert bare.host.systemctl("is-enabled", SERVICE).stdout.strip() == "enabled"
    assert "is active" in bare.ctl("status").stdout
    assert bare.host.systemctl("is-enabled", FETCH, check=False).stdout.strip() == "disabled"
    video = BelfryInstance(bare.host, "video")
    video.start()
    bare.host.systemctl("enable", "belfryd@video.service", "belfryd-fetch@video.timer", "belfry-listener@guard.service")
    video_pid = video.main_pid()
    ann.shell(f"systemctl --user enable --now {SERVICE}")
    pid_of_ann = ann.property(SERVICE, "MainPID")
    assert bare.processes() == ["belfryd"] * 3
    assert "Documentation" in bare.host.run("journalctl", "-x", "-u", SERVICE, "--no-pager").stdout

    changed = "[Signals]\nUSR2=com.example.rotate\n"
    bare.configure(changed)
    subscriber = bare.subscribe()
    first = bare.main_pid()
    bare.install_packages(newer)
    second = bare.wait_for_another(first)
    bare.install_packages(package)
    bare.wait_for_another(second)
    video.wait_for_another(video_pid)
    # Of users only those who run the service.
    assert ann.property(SERVICE, "MainPID") not in ("0", pid_of_ann)
    assert bob.property(SERVICE, "MainPID") == "0"
    assert bare.host.path(CONFIGURATION).read_text() == changed
    bare.host.systemctl("kill", "--signal=USR2", "--kill-whom=main", SERVICE)
    # The connection is the same, and no number is missing.
    subscriber.until("com.example.rotate")
    assert subscriber.is_consecutive()

    bare.apt("remove", "belfry")
    assert bare.processes() == []
    assert bare.host.path(CONFIGURATION).read_text() == changed

    # What is in the runtime directory of a user lasts until the logout.
    ann.remove()
    bare.apt("purge", "belfry")
    assert bare.files() - before == set()
    assert bare.processes() == []


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


def test_every_command_of_the_readme_works_as_printed(bare, package):
    def shell(command: str) -> str:
        return bare.host.run("sh", "-c", f"cd /root && {command}", stdin=subprocess.DEVNULL).stdout

    built = bare.host.path("/root/.build/deb")
    built.mkdir(parents=True)
    shutil.copy(package, built)
    (make, *commands_to_install) = commands("apt install ./.build/deb")
    assert make == "make deb"
    for command in commands_to_install:
        printed = shell(command)
    assert "is active" in printed

    for line in commands("systemctl kill -s TSTP")[:-1]:
        shell(line)
    bare.wait_until_logged()
    sample = code_block("console", "systemctl kill -s TSTP").splitlines()
    assert shell(commands("systemctl kill -s TSTP")[-1]).splitlines() == [line for line in sample if line[0] not in "$#"]

    bare.host.write("/root/guard.sh", "#!/bin/sh\nexit 1\n")
    bare.host.path("/root/guard.sh").chmod(0o755)
    bare.host.write("/srv/videos/film", "film")
    for command in commands("belfryctl watch --after"):
        if " watch" not in command and " attach" not in command:
            shell(command)
            continue
        # These run until they are stopped.
        with bare.host.running("sh", "-c", f"cd /root && exec {command}") as running:
            if " watch" in command:
                # The first line is the state, when it has subscribed.
                assert " is " in running.stdout.readline()
                bare.ctl("post", "com.example.rotate")
                while "com.example.rotate" not in running.stdout.readline():
                    pass
            else:
                bare.wait_for(lambda: "guard" in [one["name"] for one in bare.listeners()], "attach the program")
                assert bare.host.systemctl("reload", SERVICE, check=False).returncode != 0
    assert bare.host.path("/root/days.svg").read_text().startswith("<svg")
    assert "srv/videos/film" in shell("tar -tf videos.tar")

    bare.wait_for(lambda: bare.processes() == ["belfryd"], "end the programs of this test")
    bare.host.run("sh", "-c", commands("apt purge belfry")[0], input="y\n")
    assert bare.processes() == []


def test_every_command_of_the_readme_without_a_package_works_as_printed(bare):
    def shell(line: str) -> None:
        for command in line.split("; "):
            if not command.startswith("make "):
                bare.host.run("sh", "-c", command)
                continue
            # In the folder of the project, which the host does not have, and with what is built already.
            settings = {"DESTDIR": str(bare.host.root), "SWIFT": "true"}
            subprocess.run(["sh", "-c", command], cwd=PROJECT, env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)

    before = bare.files()

    for command in commands("make install"):
        shell(command)
    assert "is active" in bare.ctl("status").stdout

    (_, remove) = commands("apt purge belfry")
    shell(remove)
    assert bare.processes() == []
    left = {path for path in bare.files() - before if not bare.host.path(path).is_dir()}
    assert {path for path in left if not path.startswith(REMAINING)} == set()
