# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The live fuzzer finds no fault in half a minute."""

import random

import live_fuzzer
from private_service import DAEMON

SECONDS = 30


def test_live_fuzzer_finds_nothing(figures):
    done = live_fuzzer.run(DAEMON, SECONDS, random.randrange(1 << 32))
    figures.append(f"live fuzzer: {done}")
