# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""HTTP clients in the network of a host."""

import json
import subprocess
import sys
from contextlib import contextmanager

from host_roots import KIT
from programs import running

PORT = 8080


@contextmanager
def requests(unit, path: str, clients: int, length: int, results: dict):
    """Requests during the block; their results are in `results` afterwards."""
    load = [sys.executable, str(KIT / "http_load.py"), str(PORT), path, str(clients), str(length)]
    network = ["nsenter", "-t", str(unit.host.leader), "-n"]
    with running([*network, *load], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == "begun\n"
        yield
        process.stdin.close()
        results |= json.loads(process.stdout.read())
