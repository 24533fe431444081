# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""scripts/check-release refuses a release whose version, changes or tree do not fit."""

import shutil
import subprocess
from pathlib import Path

import pytest
from host_roots import PROJECT

API = "struct Bell\nextension Bell { init() }\n"


class Sources:
    def __init__(self, folder: Path):
        self.folder = folder
        for name in ("scripts", "Sources/Room/Bell", "Tests/PublicAPI"):
            (folder / name).mkdir(parents=True)
        for name in ("check-release", "check-api"):
            shutil.copy(PROJECT / "scripts" / name, folder / "scripts")
        self.run("git", "init", "--quiet")
        self.write("Tests/PublicAPI/Bell.api", API)

    def run(self, *command: str) -> None:
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)

    def write(self, path: str, text: str) -> None:
        (self.folder / path).write_text(text)

    def commit(self, version: str) -> None:
        self.write("Sources/Room/Bell/ReleaseVersion.swift", f'    static let current = "{version}"\n')
        self.write("CHANGELOG.md", f"# Changelog\n\n## {version} - 2026-11-23\n\n## 0.0.1 - 2025-01-01\n")
        self.run("git", "add", ".")
        self.run("git", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--quiet", "--message", version)

    def check(self) -> list[str]:
        """What it complains of, or nothing."""
        done = subprocess.run(["scripts/check-release"], cwd=self.folder, capture_output=True, text=True)
        lines = (done.stdout + done.stderr).splitlines()
        assert done.returncode == (1 if lines else 0)
        return [line.removeprefix("check-release: ") for line in lines]


@pytest.fixture
def sources(tmp_path) -> Sources:
    sources = Sources(tmp_path)
    sources.commit("0.1.0")
    assert sources.check() == []
    return sources


def test_change_that_is_not_committed_is_refused(sources):
    sources.write("new", "")

    assert sources.check() == ["the tree has changes that are not committed: git status"]


def test_version_with_a_tag_is_refused(sources):
    sources.run("git", "tag", "v0.1.0")

    assert sources.check() == ["there is a tag v0.1.0 already: raise the version in ReleaseVersion.swift"]


def test_version_that_is_not_that_of_the_changelog_is_refused(sources):
    sources.write("CHANGELOG.md", "# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2025-01-01\n")

    assert sources.check()[1:] == ["CHANGELOG.md: the first section is 'Unreleased', not '0.1.0 - YYYY-MM-DD'"]


def test_pages_that_say_that_nothing_is_released_are_refused(sources):
    sources.write("README.md", "Not released yet.\n")
    sources.write("Sources/Room/Bell/Start.md", "Bell is not released yet.\n")

    assert sources.check()[1:] == ["these pages say that Belfry is not released yet: README.md Sources/Room/Bell/Start.md"]


@pytest.mark.parametrize(
    ("last", "version", "fits"),
    [("0.1.0", "0.1.1", False), ("0.1.0", "0.2.0", True), ("0.9.0", "1.0.0", True), ("1.1.0", "1.2.0", False), ("1.2.0", "2.0.0", True)],
)
def test_change_that_can_break_programs_needs_a_version_for_it(sources, last, version, fits):
    sources.run("git", "tag", f"v{last}")
    sources.write("Tests/PublicAPI/Bell.api", API.replace("init()", "init(copper: Bool)"))
    sources.commit(version)

    assert sources.check() == (
        []
        if fits
        else [
            "Tests/PublicAPI/Bell.api: - extension Bell { init() }",
            f"these changes since v{last} can break programs, and {version} does not allow that",
        ]
    )


def test_compatible_change_fits_each_version(sources):
    sources.run("git", "tag", "v0.1.0")
    sources.write("Tests/PublicAPI/Bell.api", API + "extension Bell { func ring() }\n")
    sources.commit("0.1.1")

    assert sources.check() == []
