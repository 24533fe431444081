# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Posts within a process."""

import json
import subprocess

from .measure import Place, Row, Section, at_least, at_most

FOUNDATION_GOALS = {1: 4, 10: 8, 100: 10}
CLOSURES_GOAL = 1.5


def observers(place: Place) -> Section:
    run = subprocess.run(
        [place.helpers / "ObserverBenchmark"], capture_output=True, text=True, timeout=120, check=True)
    found = {}
    for line in run.stdout.splitlines():
        result = json.loads(line)
        found[result["work"], result["observers"], result["subject"]] = result["ns"]

    section = Section("Post: per observer, within a process", "whether posting is too slow for a hot path")
    for count, goal in FOUNDATION_GOALS.items():
        ours, foundation = found["post", count, "Belfry"], found["post", count, "Foundation"]
        section.rows.append(Row(
            f"post to {count}, next to Foundation", f"{ours:.1f} ns", f"NotificationCenter {foundation:.0f} ns",
            f"{foundation / ours:.1f}x faster", at_least(foundation / ours, goal, "x")))
    ours, closures = found["post", 100, "Belfry"], found["post", 100, "closures"]
    section.rows.append(Row(
        "post to 100, next to closures", f"{ours:.1f} ns", f"closures in structs {closures:.1f} ns",
        f"{ours / closures:.1f}x closures", at_most(ours / closures, CLOSURES_GOAL, "x")))
    ours, foundation = (found["addAndRemove", 100_000, name] / 1000 for name in ("Belfry", "Foundation"))
    section.rows.append(Row(
        "add and remove one among 100,000", f"{ours:.2f} us", f"NotificationCenter {foundation:.1f} us",
        f"{foundation / ours:.1f}x faster"))
    return section
