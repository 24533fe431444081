# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""scripts/check-api names the changes of a public API, on a small package of its own."""

import shutil
import subprocess
from pathlib import Path

import pytest
from host_roots import PROJECT

MANIFEST = """
        .library(name: "Bell", targets: ["Bell"]),
"""
SOURCE = """
public enum Tone { case high, low }

public protocol Ringer {
    func ring(_ tone: Tone, times: Int)
}

extension Ringer {
    public func ring() { ring(.high, times: 1) }
}

public struct Bell: Ringer, Sendable {
    public init() {}
    public func ring(_ tone: Tone, times: Int = 1) {}
    package func polish() {}
}
"""


class Package:
    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("scripts", "Sources/Room/Bell", "Tests/PublicAPI", "built/Modules"):
            (folder / name).mkdir(parents=True)
        shutil.copy(PROJECT / "scripts/check-api", folder / "scripts")
        (folder / "Package.swift").write_text(MANIFEST)

    def run(self, *command: str) -> subprocess.CompletedProcess:
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)

    def build(self, source: str) -> None:
        (self.folder / "Sources/Room/Bell/Bell.swift").write_text(source)
        module = ["-emit-module", "-module-name", "Bell", "-package-name", "bells", "-o", "built/Modules/Bell.swiftmodule"]
        self.run("swiftc", "-parse-as-library", *module, "Sources/Room/Bell/Bell.swift")

    def check(self, *arguments: str) -> tuple[int, list[str]]:
        """The exit status, and the differences."""
        done = subprocess.run(["scripts/check-api", *arguments], cwd=self.folder, capture_output=True, text=True)
        lines = (done.stdout + done.stderr).splitlines()
        return done.returncode, [line.partition("Bell.api: ")[2] for line in lines if "Bell.api: " in line]

    def accept(self) -> None:
        self.run("scripts/check-api", "--accept", "built")


@pytest.fixture(scope="module")
def package(tmp_path_factory) -> Package:
    package = Package(tmp_path_factory.mktemp("package"))
    package.build(SOURCE)
    package.accept()
    package.run("git", "init", "--quiet")
    package.run("git", "add", ".")
    package.run("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "-m", "First")
    return package


CHANGES = [
    ("package func polish", "package func wash"),
    ("_ tone: Tone, times: Int = 1", "_ note: Tone, times: Int = 1"),
    ("public init() {}", "public init() {}\n    public init(copper: Bool) {}"),
    ("public func ring() {", "public func ring() -> Void {"),
    (", Sendable", ""),
    ("high, low", "high, low, middle"),
    ("public protocol Ringer {", "public protocol Ringer {\n    func ring()\n    func stop()"),
    ("public func ring(_", "public func stop() {}\n    public func ring(_"),
    ("public struct", "public enum Metal { case copper }\n\npublic struct"),
]
DIFFERENCES = """
can break programs: - extension Bell: Swift.Sendable
can break programs: + extension Tone { case middle }
can break programs: + protocol Ringer { func stop() }
new: + enum Metal
new: + extension Bell { func stop() }
new: + extension Bell { init(copper: Bool) }
new: + extension Metal { case copper }
new: + extension Metal: Swift.Equatable
new: + extension Metal: Swift.Hashable
new: + protocol Ringer { func ring() }
"""


def test_changes_are_named(package):
    assert package.check("built") == (0, [])
    source = SOURCE
    for old, new in CHANGES:
        assert source.count(old) == 1, old
        source = source.replace(old, new)
    package.build(source)

    assert package.check("built") == (1, DIFFERENCES.split("\n")[1:-1])


def test_change_since_a_revision_is_named_only_if_it_can_break_a_program(package):
    package.build(SOURCE.replace("public init() {}", "public init(copper: Bool) {}"))
    package.accept()

    try:
        assert package.check("--since", "HEAD") == (1, ["- extension Bell { init() }"])
    finally:
        package.build(SOURCE)
        package.accept()
    assert package.check("--since", "HEAD") == (0, [])
