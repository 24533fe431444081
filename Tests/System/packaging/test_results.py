# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What `make nightly` and `make bench` store is what the pages show."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from host_roots import PROJECT

MAKEFILE = """\
good:
\t@printf '%s\\n' 'Test run with 30 tests in 4 suites passed after 1 s.' '=== 12 passed, 1 skipped in 3.20s ==='
bad:
\t@echo working
\t@echo it broke >&2; exit 3
"""
FILES = ["scripts/nightly", "scripts/show-results", "docs/benchmarks.md", "docs/evidence.md", "Benchmarks/results.json"]


@pytest.fixture
def sources(tmp_path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(PROJECT / name, tmp_path / name)
    (tmp_path / "Tests").mkdir()
    (tmp_path / "Makefile").write_text(MAKEFILE)
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "x"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    return tmp_path


def run(folder: Path, *command: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_each_target_is_made_and_its_outcome_is_on_the_page(sources):
    done = run(sources, "scripts/nightly", "bad", "good")

    assert (done.returncode, done.stderr) == (1, "failed: bad\n")
    results = json.loads((sources / "Tests/results.json").read_text())
    assert results["bad"]["outcome"] == "failed, 2"
    assert (results["good"]["outcome"], results["good"]["summary"]) == ("passed", "30 tests; 12 passed, 1 skipped")
    assert "dirty" not in results["good"]["commit"]
    row = f"| `make good` | {results['good']['date']} | {results['good']['commit']} | passed | 1 min | 30 tests; 12 passed, 1 skipped |"
    assert row in (sources / "docs/evidence.md").read_text()


def test_a_result_that_was_written_by_hand_is_found(sources):
    run(sources, "scripts/nightly", "good")
    assert run(sources, "scripts/show-results", "--check").stdout == ""
    page = sources / "docs/evidence.md"
    page.write_text(page.read_text().replace("12 passed", "13 passed"))

    assert run(sources, "scripts/show-results", "--check").stdout == (
        "docs/evidence.md: not what Tests/results.json has; run scripts/show-results\n"
    )
