# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What `make install` leaves on a host, and what systemd thinks of it."""

import subprocess
from pathlib import Path

import pytest
from belfry_service import SERVICE, SOCKET, BelfryService
from host_roots import PROJECT

INSTALLED = [
    "/usr/bin/belfryctl",
    "/usr/bin/belfryd",
    "/usr/lib/belfry/belfry.conf",
    "/usr/lib/systemd/catalog/belfry.catalog",
    "/usr/lib/systemd/system/belfryd.service",
    "/usr/lib/systemd/system/belfryd.socket",
    "/usr/lib/sysusers.d/belfry.conf",
    "/usr/share/bash-completion/completions/belfryctl",
    "/usr/share/doc/belfry/README.md",
    "/usr/share/doc/belfry/changelog",
    "/usr/share/doc/belfry/copyright",
    "/usr/share/doc/belfry/examples/belfryd.service.d/memory-pressure.conf",
    "/usr/share/doc/belfry/examples/belfryd.service.d/notify-reload.conf",
    "/usr/share/fish/vendor_completions.d/belfryctl.fish",
    "/usr/share/zsh/vendor-completions/_belfryctl",
]


def make(target: str, destination: Path) -> None:
    command = ["make", "--no-print-directory", target, f"DESTDIR={destination}"]
    subprocess.run(command, cwd=PROJECT, check=True, capture_output=True)


def files_below(folder: Path) -> list[str]:
    return sorted("/" + str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_install_puts_files_where_debian_would_and_uninstall_takes_them_away(tmp_path):
    make("install", tmp_path)
    assert files_below(tmp_path) == INSTALLED

    make("uninstall", tmp_path)
    assert files_below(tmp_path) == []


def test_programs_are_stripped_and_search_no_private_path_for_libraries(belfry):
    for program in ("belfryd", "belfryctl"):
        path = belfry.host.path(f"/usr/bin/{program}")
        sections = subprocess.run(["readelf", "-SdW", path], check=True, capture_output=True, text=True).stdout
        assert "RPATH" not in sections and "RUNPATH" not in sections
        assert ".symtab" not in sections
        assert "libsystemd.so.0" in sections
        assert "libswift" not in sections


def verify(belfry: BelfryService) -> None:
    done = belfry.host.run("systemd-analyze", "verify", SERVICE, SOCKET)
    assert done.stderr == ""


def test_units_are_verified_without_a_word(belfry):
    verify(belfry)


def test_units_and_the_drop_in_are_verified_without_a_word_by_a_newer_systemd(belfry_on_trixie):
    verify(belfry_on_trixie)
    belfry_on_trixie.use_notify_reload()
    verify(belfry_on_trixie)



@pytest.mark.parametrize("host", ["belfry", "belfry_on_trixie"])
def test_unit_scores_at_most_one_for_exposure(host, request):
    belfry = request.getfixturevalue(host)
    # The threshold is in tenths; beyond it the command fails.
    analyze = ["systemd-analyze", "security", "--no-pager", "--threshold=10"]
    for command in ([*analyze, "--offline=true", f"/usr/lib/systemd/system/{SERVICE}"], [*analyze, SERVICE]):
        assert "Overall exposure level" in belfry.host.run(*command).stdout


def test_shipped_configuration_is_valid_and_changes_nothing(belfry):
    belfry.host.run("belfryd", "--check-config")
    with_it = belfry.host.run("belfryd", "--print-config").stdout
    without_it = belfry.host.run("belfryd", "--config", "/dev/null", "--print-config").stdout
    assert with_it == without_it != ""


def test_enabling_the_service_enables_its_socket(belfry):
    belfry.host.systemctl("enable", SERVICE)
    assert belfry.host.systemctl("is-enabled", SERVICE, SOCKET).stdout == "enabled\nenabled\n"
    belfry.host.systemctl("disable", SERVICE)
