# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The live fuzzer finds no fault in half a minute."""

import random

import live_fuzzer

SECONDS = 30


def test_live_fuzzer_finds_nothing(belfry, figures):
    figures += live_fuzzer.run(belfry, SECONDS, random.randrange(1 << 32))
