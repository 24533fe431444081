# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Prints the table, and writes the data that docs/benchmarks.md shows."""

import json
from pathlib import Path

from .measure import Row, Section

HEADS = ["work", "Belfry", "peers", "ratio", "goal", "met"]


def _cells(row: Row) -> list[str]:
    goal = [row.goal.text, "yes" if row.goal.met else "no"] if row.goal else ["", ""]
    return [row.work, row.belfry, row.peers, row.ratio, *goal]


def table(sections: list[Section]) -> list[str]:
    rows = [_cells(row) for section in sections for row in section.rows]
    widths = [max(map(len, column)) for column in zip(HEADS, *rows)]

    def line(cells: list[str]) -> str:
        return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths)).rstrip()

    lines = [line(HEADS), line(["-" * width for width in widths])]
    for section in sections:
        lines += ["", f"{section.title} ({section.purpose})", *(line(_cells(row)) for row in section.rows)]
    return lines


def _row(row: Row) -> dict:
    data = {"work": row.work, "belfry": row.belfry, "peers": row.peers, "ratio": row.ratio}
    return data | ({"goal": row.goal.text, "met": row.goal.met} if row.goal else {})


def write(file: Path, machine: list[str], sections: list[Section]) -> None:
    found = [
        {"title": section.title, "purpose": section.purpose, "rows": [_row(row) for row in section.rows]}
        for section in sections
    ]
    file.write_text(json.dumps({"machine": machine, "sections": found}, indent=1) + "\n")
