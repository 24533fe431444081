# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What an operator reads in the journal, line by line."""

import re
from difflib import ndiff
from itertools import zip_longest

from hosted_unit import HostedUnit


class JournalLines:
    """The lines of `journalctl -t IDENTIFIER -o cat`, from the last `skip_old_records` of the unit on."""

    def __init__(self, unit: HostedUnit, identifier: str):
        self.unit = unit
        self.identifier = identifier
        self.read = 0

    def says(self, *expected: str) -> None:
        """Waits for these lines, and checks that no other line is new. In a line N stands for any number, and the
        listeners that took longest are left out."""
        lines = [line for text in expected for line in text.strip().splitlines()]
        self.unit.wait_for(lambda: len(self.new()) >= len(lines), f"log {lines}")
        new = self.new()
        self.read += len(new)
        found = [line if line and is_like(one, line) else one for one, line in zip_longest(new, lines)]
        assert found == lines, "\n".join(ndiff(lines, found))

    def new(self) -> list[str]:
        """The lines after those that were expected."""
        lines = [r["MESSAGE"] for r in self.unit.journal() if r.get("SYSLOG_IDENTIFIER") == self.identifier]
        return lines[self.read :]


def is_like(found: str, expected: str) -> bool:
    """Whether the line is the one that is expected."""
    pattern = re.sub(r"\bN\b", r"\\d+", re.escape(expected))
    longest = r"(: '\w+' \d+ ms(, '\w+' \d+ ms)*)?" if " took " in expected else ""
    return re.fullmatch(pattern + longest, found) is not None
