# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What all benchmarks use: the directories, and the rows of the table."""

import subprocess
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Place:
    """The programs that are measured, those of the benchmark, and a private directory to write to."""

    built: Path
    helpers: Path
    private: Path
    counter: int = 0

    def directory(self, name: str) -> Path:
        """A new directory."""
        self.counter += 1
        path = self.private / f"{self.counter}-{name}"
        path.mkdir(mode=0o700)
        return path

    def stripped(self, program: Path) -> Path:
        """A copy of the program without symbols."""
        copy = self.directory("stripped") / program.name
        subprocess.run(["strip", "-o", copy, program], check=True)
        return copy


@dataclass
class Goal:
    text: str
    met: bool


def at_most(value: float, limit: float, unit: str = "") -> Goal:
    return Goal(f"<= {limit:,}{unit}", value <= limit)


def at_least(value: float, limit: float, unit: str = "") -> Goal:
    return Goal(f">= {limit:,}{unit}", value >= limit)


@dataclass
class Row:
    work: str
    belfry: str
    peers: str = ""
    ratio: str = ""
    goal: Goal | None = None


@dataclass
class Section:
    title: str
    # What a reader decides by these rows.
    purpose: str
    rows: list[Row] = field(default_factory=list)
