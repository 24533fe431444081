# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Many simulated hosts on one broker: what belfry-fleetd shows is what is true, also after kill -9 of the broker."""

import pytest
from fleet_crowd import measure
from host_roots import PROJECT

PROGRAM = PROJECT / ".build/release/belfry-fleetd"


def test_view_counts_fifty_hosts(figures):
    measure(hosts=50, renewal=2, steady=2, away=1, program=PROGRAM, report=figures.append)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_view_counts_two_thousand_hosts(figures):
    measure(hosts=2000, renewal=30, steady=60, away=10, program=PROGRAM, report=figures.append)
