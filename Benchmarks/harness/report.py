# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Prints the table, and writes it to the page."""

from pathlib import Path

from .measure import Row, Section

HEADS = ["work", "Belfry", "peers", "ratio", "goal", "met"]
BEGIN, END = "<!-- results: begin -->", "<!-- results: end -->"


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
        lines += ["", section.title, f"({section.purpose})", *(line(_cells(row)) for row in section.rows)]
    return lines


def summary(sections: list[Section]) -> str:
    goals = [row for section in sections for row in section.rows if row.goal]
    missed = [row.work for row in goals if not row.goal.met]
    text = f"{len(goals) - len(missed)} of {len(goals)} goals met"
    return f"{text}; missed: {'; '.join(missed)}" if missed else text


def write(page: Path, machine: list[str], sections: list[Section]) -> None:
    """Replaces the results between the two marks of the page."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    results = ["", *(f"* {line}" for line in machine), "", "```text", *table(sections), "```", "",
               f"{summary(sections)}.", ""]
    page.write_text(before + BEGIN + "\n".join(results) + "\n" + END + after)
