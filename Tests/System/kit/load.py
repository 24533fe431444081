# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Clients in the network of a host that make requests without a pause."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from host_roots import KIT
from programs import running

PORT = 8080


@contextmanager
def load(unit, results: dict, program: str, *arguments: object) -> Iterator[None]:
    """Runs a program of the kit during the block; the results of its requests are in `results` afterwards."""
    network = ["nsenter", "-t", str(unit.host.leader), "-n"]
    command = [*network, sys.executable, str(KIT / program), *map(str, arguments)]
    with running(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == "begun\n"
        yield
        process.stdin.close()
        results |= json.loads(process.stdout.read())


def requests(unit, path: str, clients: int, length: int, results: dict):
    """HTTP requests during the block; their results are in `results` afterwards."""
    return load(unit, results, "http_load.py", PORT, path, clients, length)
