# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many subscribers in one process."""

import json
import subprocess
from pathlib import Path

from host_roots import KIT

SOURCE = KIT / "subscribers.c"
SUBSCRIBERS = 1000
# The report of a crowd that has missed nothing.
CLEAN = {"lost": 0, "doubled": 0, "errors": 0, "behind": 0}


def compiled(folder: Path) -> Path:
    program = folder / "subscribers"
    subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-o", program, SOURCE], check=True)
    return program


class Crowd:
    """A thousand subscribers in a separate process, each of which connects again after the last number it has seen."""

    def __init__(self, program: Path, belfry, count: int = SUBSCRIBERS):
        # The path through /proc is too long for an address.
        folder = belfry.socket_path().parent
        self.process = subprocess.Popen(
            [program, belfry.socket_path().name, str(count)],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.first = int(self.process.stdout.readline().split()[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()

    def report(self, last: int) -> dict:
        """What they received, when all have reached notification `last`."""
        out, _ = self.process.communicate(f"{last}\n", timeout=150)
        return json.loads(out)
