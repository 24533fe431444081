# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The packages that a service on the library fetches, by the traits that it names."""

import json
import subprocess

import pytest
from host_roots import PROJECT

MANIFEST = """\
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "service",
    dependencies: [.package(name: "belfry", path: "{project}", traits: [{traits}])],
    targets: [
        .executableTarget(
            name: "service",
            dependencies: [
                .product(name: "Belfry", package: "belfry"), .product(name: "BelfrySocket", package: "belfry"),
            ])
    ]
)
"""


DEFAULTS = ["swift-argument-parser", "swift-log", "swift-metrics", "swift-service-lifecycle"]
HUMMINGBIRD = ["hummingbird", "swift-http-types", "swift-log", "swift-nio", "swift-nio-extras"]


@pytest.mark.parametrize(
    ("traits", "packages"),
    [("", []), ('"Logging"', ["swift-log"]), (".defaults", DEFAULTS), ('"NIO"', ["swift-nio"]), ('"Hummingbird"', HUMMINGBIRD)],
    ids=["none", "Logging", "defaults", "NIO", "Hummingbird"],
)
def test_service_fetches_only_the_packages_of_its_traits(tmp_path, traits, packages):
    (tmp_path / "Sources/service").mkdir(parents=True)
    (tmp_path / "Sources/service/main.swift").touch()
    (tmp_path / "Package.swift").write_text(MANIFEST.format(project=PROJECT, traits=traits))

    command = ["swift", "package", "--package-path", tmp_path, "show-dependencies", "--format", "json"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    belfry, = json.loads(shown[shown.index("{"):])["dependencies"]
    assert sorted(package["identity"] for package in belfry["dependencies"]) == packages
