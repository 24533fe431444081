# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What `make fleet-install` installs beside Belfry."""

import re
import subprocess

import pytest
from belfry_service import make
from fleet_host import BRIDGE
from host_roots import PROJECT

PROGRAMS = ["belfry-fleet", "belfry-fleetd"]
# Below /usr.
INSTALLED = [
    *[f"bin/{program}" for program in PROGRAMS],
    "lib/systemd/catalog/belfry-fleet.catalog",
    "lib/systemd/system/belfry-fleetd.service",
    "lib/sysusers.d/belfry-fleet.conf",
    "share/bash-completion/completions/belfry-fleet",
    *[f"share/belfry-fleet/mosquitto/{path.name}" for path in (PROJECT / "Fleet/config/mosquitto").iterdir()],
    "share/fish/vendor_completions.d/belfry-fleet.fish",
    "share/man/man1/belfry-fleet.1",
    "share/man/man5/fleet.conf.5",
    "share/man/man7/belfry-fleet.7",
    "share/man/man8/belfry-fleetd.8",
    "share/zsh/vendor-completions/_belfry-fleet",
]


def test_files_are_installed_and_removed_except_the_configuration(tmp_path):
    def files() -> list[str]:
        return sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())

    make("fleet-install", tmp_path)
    assert files() == sorted(["etc/belfry/fleet.conf", *(f"usr/{path}" for path in INSTALLED)])

    # The administrator has to edit it, so it is neither replaced nor removed.
    (tmp_path / "etc/belfry/fleet.conf").write_text("[Broker]\n")
    make("fleet-install", tmp_path)
    make("fleet-uninstall", tmp_path)
    assert files() == ["etc/belfry/fleet.conf"]
    assert (tmp_path / "etc/belfry/fleet.conf").read_text() == "[Broker]\n"


def test_shipped_configuration_has_every_key_and_only_valid_defaults(fleet):
    text = (PROJECT / "Fleet/config/fleet.conf").read_text()
    fleet.operator.host.write("/run/fleet.conf", re.sub(r"^#([A-Z]\w+=.)", r"\1", text, flags=re.MULTILINE))
    known = set()
    for source in (PROJECT / "Fleet/Sources/belfry-fleetd/Settings").glob("*.swift"):
        for keys in re.findall(r"enum CodingKeys: (?:String, )?CodingKey \{(.*?)\}", source.read_text(), re.DOTALL):
            known |= {key.lower() for key in re.findall(r"(\w+)(?: = .*)?(?:[,\n]| $)", keys.replace("case ", ""))}

    fleet.operator.host.run("belfry-fleetd", "--config", "/run/fleet.conf", "--check-config")

    assert {"accept", "cafile", "view"} <= known
    assert {key.lower() for key in re.findall(r"^#?([A-Z]\w+)=", text, re.MULTILINE)} == known


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_are_stripped_and_only_the_daemon_needs_the_library_of_a_broker(fleet, program):
    path = fleet.operator.host.path(f"/usr/bin/{program}")
    sections = subprocess.run(["readelf", "-SdW", path], check=True, capture_output=True, text=True).stdout

    assert "RPATH" not in sections and "RUNPATH" not in sections and ".symtab" not in sections
    assert "libswift" not in sections
    assert ("libmosquitto" in sections) == (program == "belfry-fleetd")


@pytest.mark.parametrize("program", PROGRAMS)
def test_help_names_no_manual_page_that_does_not_exist(fleet, program):
    assert not re.search(r"belfry\w*\(\d\)", fleet.operator.host.run(program, "--help").stdout)


@pytest.mark.parametrize("name", ["operator", "h1"])
def test_unit_is_verified_without_a_warning_and_is_not_exposed(fleet, name):
    host = fleet.machines[name]

    assert host.run("systemd-analyze", "verify", BRIDGE).stderr == ""
    host.run("systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=15", BRIDGE)
