# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The command line of what runs on an installed service for as long as it is told."""

import argparse
import random
import sys
from collections.abc import Callable

import control_groups
from belfry_service import BelfryService, installed_host
from host_roots import ROOTS
from private_mounts import enter_private_mounts


def run_on_host(description: str, run: Callable[[BelfryService, float, int], list[str]]) -> None:
    """Calls `run` with a service, seconds and a seed, and prints the lines that it returns, or the fault that it raises."""
    arguments = argparse.ArgumentParser(description=description.splitlines()[0])
    arguments.add_argument("--seconds", type=float, default=3600)
    arguments.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments.add_argument("--host", choices=sorted(ROOTS), default="machine")
    given = arguments.parse_args()
    print(f"seed {given.seed}", flush=True)
    enter_private_mounts()
    control_groups.remove_stale()
    try:
        with installed_host(given.host, ROOTS[given.host]()) as belfry:
            print("\n".join(run(belfry, given.seconds, given.seed)))
    except AssertionError as found:
        sys.exit(str(found))
