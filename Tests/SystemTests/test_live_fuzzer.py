# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What the live fuzzer finds in half a minute: nothing."""

import random

import live_fuzzer
from live_service import DAEMON

SECONDS = 30


def test_live_fuzzer_finds_nothing(figures):
    done = live_fuzzer.run(DAEMON, SECONDS, random.randrange(1 << 32))
    figures.append(f"live fuzzer: {done}")
