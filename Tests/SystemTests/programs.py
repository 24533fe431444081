# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs that run during a test."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """The program. It is killed at the end of the block if it still runs."""
    with subprocess.Popen(command, text=True, **options) as program:
        try:
            yield program
        finally:
            program.kill()
