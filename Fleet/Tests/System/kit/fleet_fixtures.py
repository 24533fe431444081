# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The hosts of the fleet live as long as the test run; every test begins with all of them as after their start."""

import pytest
from belfry_service import BelfryService
from fleet_bed import fleet_bed


@pytest.fixture(scope="session")
def running_fleet():
    """Three hosts, one of them on Debian 13, and an operator on a network with a broker."""
    with fleet_bed() as bed:
        bed.start()
        yield bed
        killed = {name: BelfryService(host).killed_by_filters() for name, host in bed.machines.items()}
        assert not any(killed.values()), killed


@pytest.fixture
def fleet(running_fleet):
    """The same, as after its start."""
    running_fleet.reset()
    return running_fleet
