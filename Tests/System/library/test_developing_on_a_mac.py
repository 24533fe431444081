# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The package of DevelopingOnAMac.md builds without what only Linux has."""

import json
import shutil
import subprocess

import pytest
from documentation import commands
from host_roots import PROJECT

PACKAGE = PROJECT / "Tests/Manifests/video"


def dump(folder) -> dict:
    command = ["swift", "package", "--package-path", folder, "dump-package"]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_listeners_and_their_tests_depend_on_nothing_that_needs_linux():
    package = dump(PROJECT)
    uses = {target["name"]: target["dependencies"] for target in package["targets"]}

    needed, found = set(), ["Lifecycle", "LifecycleTesting"]
    while found:
        needed.add(name := found.pop())
        # A package of others would be a product.
        found += [dependency["byName"][0] for dependency in uses[name]]

    assert needed == {"BelfryJSON", "Lifecycle", "LifecycleTesting"}
    macos = [(platform["platformName"], platform["version"]) for platform in package["platforms"]]
    assert macos == [(platform["platformName"], platform["version"]) for platform in dump(PACKAGE)["platforms"]]


@pytest.mark.nightly
def test_package_that_is_split_is_tested_without_the_products_of_linux(tmp_path):
    """Linux takes the place of the Mac, and the Mac that of Linux."""
    shutil.copytree(PACKAGE, tmp_path, dirs_exist_ok=True)
    manifest, program = tmp_path / "Package.swift", tmp_path / "Sources/videod/main.swift"
    text = manifest.read_text().replace('path: "../belfry"', f'name: "belfry", path: "{PROJECT}"')
    manifest.write_text(text.replace("[.linux]", "[.macOS]"))
    program.write_text(program.read_text().replace("#if os(Linux)", "#if os(macOS)"))

    [command] = commands("the listeners, without the service")
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True)

    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    assert "pausesWithTheService() passed" in done.stdout + done.stderr
    built = {path.stem for path in tmp_path.glob(".build/*/debug/Modules/*.swiftmodule")}
    assert {name for name in built if "elfry" in name} == {"BelfryJSON"}
