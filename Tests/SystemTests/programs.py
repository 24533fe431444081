# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs that run while a test goes on."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def running(command: list[str], **options) -> Iterator[subprocess.Popen]:
    """The program, which is killed at the end of the block if it has not ended by then."""
    with subprocess.Popen(command, text=True, **options) as program:
        try:
            yield program
        finally:
            program.kill()
