# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The packages that a service on the library fetches by the traits that it names, and what it links."""

import json
import re
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


def test_service_links_only_the_products_that_it_names():
    # The names of modules are in a program, for each has types.
    worker = (PROJECT / ".build/release/Worker").read_bytes()
    modules = set(re.findall(rb"\0((?:Belfry|Hummingbird|NIO)\w*)\0", worker))

    assert {b"Belfry", b"BelfrySocket", b"BelfryMetrics"} <= modules
    assert not modules & {b"BelfryHummingbird", b"BelfryNIO", b"BelfryServer", b"BelfryCacheFlush"}
    assert not [module for module in modules if module.startswith((b"Hummingbird", b"NIO"))]
