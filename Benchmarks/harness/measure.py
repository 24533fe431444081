# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the single benchmarks share: the place they run in and the lines they make."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Place:
    """Where the programs are, and where they may write."""

    built: Path
    helpers: Path
    private: Path
    counter: int = 0

    def directory(self, name: str) -> Path:
        """A new directory of one's own."""
        self.counter += 1
        path = self.private / f"{self.counter}-{name}"
        path.mkdir(mode=0o700)
        return path


@dataclass
class Row:
    """One line of the table. `met` is None where there is no goal."""

    work: str
    belfry: str
    peers: str = ""
    ratio: str = ""
    goal: str = ""
    met: bool | None = None


@dataclass
class Section:
    title: str
    rows: list[Row] = field(default_factory=list)


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
