# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The Debian package, on a system that has nothing but systemd."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from belfry_instance import BelfryInstance
from belfry_service import CONFIGURATION, SERVICE, SOCKET, BelfryService
from documentation import code_block, commands
from host_roots import PROJECT, debian_root
from systemd_host import SystemdHost

NEWER = "99.0.0"
FETCH = "belfryd-fetch.timer"


def run(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("package") / "deb"
    programs = re.search(r"^PROGRAMS = (.*)", (PROJECT / "Makefile").read_text(), re.MULTILINE)[1].split()
    run(PROJECT / "scripts/make-deb", folder, *programs)
    (path,) = folder.glob("*.deb")
    return path


@pytest.fixture(scope="module")
def newer(package, tmp_path_factory) -> Path:
    """The same package with a higher version."""
    folder = tmp_path_factory.mktemp("newer")
    run("dpkg-deb", "--raw-extract", package, folder / "content")
    control = folder / "content/DEBIAN/control"
    version = run("dpkg-deb", "--field", package, "Version").strip()
    control.write_text(control.read_text().replace(f"Version: {version}", f"Version: {NEWER}"))
    run("dpkg-deb", "-Znone", "--build", "--root-owner-group", folder / "content", folder / "newer.deb")
    return folder / "newer.deb"


@pytest.fixture(params=[pytest.param("bookworm", marks=pytest.mark.nightly), "trixie"])
def bare(request):
    """A service that is not installed."""
    host = SystemdHost(f"bare-{request.param}", debian_root(request.param))
    try:
        host.boot()
        yield BelfryService(host)
    finally:
        host.shut_down()


def install(belfry: BelfryService, package: Path) -> None:
    inside = "/var/tmp/belfry.deb"
    shutil.copy(package, belfry.host.path(inside))
    apt(belfry, "install", "--allow-downgrades", "--no-install-recommends", inside)
    belfry.host.path(inside).unlink()


def apt(belfry: BelfryService, *arguments: str) -> None:
    belfry.host.run("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--yes", "--quiet", *arguments)


def processes(belfry: BelfryService) -> str:
    return belfry.host.run("sh", "-c", "cat /proc/[0-9]*/comm 2>/dev/null | grep ^belfry", check=False).stdout


def files(belfry: BelfryService) -> set[str]:
    """All files, except where apt, dpkg and systemd write at any installation, and the databases of users."""
    others = "/(dev|home|proc|sys|tmp|var/(cache|tmp|log|lib/(apt|dpkg))|etc/(passwd|group|g?shadow)-?)"
    found = belfry.host.run("find", "/", "-xdev", "-regextype", "posix-extended", "-regex", others, "-prune", "-o", "-print")
    own = belfry.host.run("find", "/run", "/var/cache", "/var/log", "-name", "*belfry*")
    return {*found.stdout.splitlines(), *own.stdout.splitlines()}


def test_lintian_finds_nothing(package):
    changes = next(package.parent.glob("*.changes"))
    found = subprocess.run(["lintian", "--allow-root", changes], capture_output=True, text=True)

    assert found.stdout == ""


def test_version_is_the_same_everywhere(package, tmp_path):
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


def test_programs_need_only_libraries_of_debian(package, tmp_path):
    run("dpkg-deb", "--extract", package, tmp_path)

    for program in (tmp_path / "usr/bin").iterdir():
        dynamic = run("readelf", "--dynamic", program)
        assert "libsystemd.so.0" in dynamic
        assert "RPATH" not in dynamic and "RUNPATH" not in dynamic
        assert "libswift" not in dynamic and "libstdc++" not in dynamic


def test_package_is_installed_upgraded_downgraded_removed_and_purged(bare, package, newer):
    before = files(bare)

    install(bare, package)
    assert [bare.host.systemctl("is-active", unit).stdout.strip() for unit in (SERVICE, SOCKET)] == ["active"] * 2
    assert bare.host.systemctl("is-enabled", SERVICE).stdout.strip() == "enabled"
    assert "is active" in bare.ctl("status").stdout
    assert bare.host.systemctl("is-enabled", FETCH, check=False).stdout.strip() == "disabled"
    video = BelfryInstance(bare.host, "video")
    video.start()
    video_pid = video.main_pid()
    assert processes(bare).split() == ["belfryd"] * 2
    assert "Documentation" in bare.host.run("journalctl", "-x", "-u", SERVICE, "--no-pager").stdout

    changed = "[Signals]\nUSR2=com.example.rotate\n"
    bare.configure(changed)
    subscriber = bare.subscribe()
    first = bare.main_pid()
    install(bare, newer)
    second = bare.wait_for_another(first)
    install(bare, package)
    bare.wait_for_another(second)
    video.wait_for_another(video_pid)
    assert bare.host.path(CONFIGURATION).read_text() == changed
    bare.host.systemctl("kill", "--signal=USR2", "--kill-whom=main", SERVICE)
    # The connection is the same, and no number is missing.
    subscriber.until("com.example.rotate")
    assert subscriber.is_consecutive()

    apt(bare, "remove", "belfry")
    assert processes(bare) == ""
    assert bare.host.path(CONFIGURATION).read_text() == changed

    apt(bare, "purge", "belfry")
    assert files(bare) - before == set()
    assert processes(bare) == ""


def test_every_command_of_the_readme_works_as_printed(bare, package):
    def shell(command: str) -> str:
        return bare.host.run("sh", "-c", f"cd /root && {command}", stdin=subprocess.DEVNULL).stdout

    built = bare.host.path("/root/.build/deb")
    built.mkdir(parents=True)
    shutil.copy(package, built)
    (make, *commands_to_install) = commands("apt install")
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
