# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The Debian package, on a system that has nothing but systemd."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from belfry_instance import BelfryInstance
from belfry_service import SERVICE, SOCKET, BelfryService
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
    run("dpkg-deb", "--build", "--root-owner-group", folder / "content", folder / "newer.deb")
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


def has_process(belfry: BelfryService) -> bool:
    return belfry.host.run("pgrep", "-x", "belfryd", check=False).returncode == 0


def files_named_belfry(belfry: BelfryService) -> list[str]:
    return belfry.host.run("find", "/etc", "/run", "/usr", "/var", "-name", "*belfry*").stdout.splitlines()


def test_lintian_finds_nothing(package):
    changes = next(package.parent.glob("*.changes"))
    found = subprocess.run(["lintian", "--allow-root", changes], capture_output=True, text=True)

    assert found.stdout == ""


def test_programs_need_only_libraries_of_debian(package, tmp_path):
    run("dpkg-deb", "--extract", package, tmp_path)

    for program in (tmp_path / "usr/bin").iterdir():
        dynamic = run("readelf", "--dynamic", program)
        assert "libsystemd.so.0" in dynamic
        assert "RPATH" not in dynamic and "RUNPATH" not in dynamic
        assert "libswift" not in dynamic and "libstdc++" not in dynamic


def test_package_is_installed_upgraded_downgraded_removed_and_purged(bare, package, newer):
    before = files_named_belfry(bare)

    install(bare, package)
    assert [bare.host.systemctl("is-active", unit).stdout.strip() for unit in (SERVICE, SOCKET)] == ["active"] * 2
    assert bare.host.systemctl("is-enabled", SERVICE).stdout.strip() == "enabled"
    assert "is active" in bare.ctl("status").stdout
    assert bare.host.systemctl("is-enabled", FETCH, check=False).stdout.strip() == "disabled"
    video = BelfryInstance(bare.host, "video")
    video.start()
    video_pid = video.main_pid()
    assert "Documentation" in bare.host.run("journalctl", "-x", "-u", SERVICE, "--no-pager").stdout

    bare.configure("[Signals]\nUSR2=com.example.rotate\n")
    subscriber = bare.subscribe()
    first = bare.main_pid()
    install(bare, newer)
    second = bare.wait_for_another(first)
    install(bare, package)
    bare.wait_for_another(second)
    video.wait_for_another(video_pid)
    bare.host.systemctl("kill", "--signal=USR2", "--kill-whom=main", SERVICE)
    # The connection is the same, and no number is missing.
    subscriber.until("com.example.rotate")
    assert subscriber.is_consecutive()

    apt(bare, "remove", "belfry")
    assert not has_process(bare)
    assert bare.host.path("/etc/belfry/belfry.conf").exists()

    apt(bare, "purge", "belfry")
    assert files_named_belfry(bare) == before
