# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A machine with a hundred applications."""

import pytest
from application import Application
from belfry_service import installed_host
from host_roots import machine_root
from programs import memory
from systemd_host import SystemdHost


def seconds_of_boot(host: SystemdHost) -> float:
    """How long systemd took until all jobs of its boot were done."""
    show = ["show", "--property=UserspaceTimestampMonotonic,FinishTimestampMonotonic"]
    times = dict(line.split("=") for line in host.systemctl(*show).stdout.splitlines())
    return (int(times["FinishTimestampMonotonic"]) - int(times["UserspaceTimestampMonotonic"])) / 1e6


@pytest.mark.nightly
def test_a_boot_starts_a_hundred_applications(figures):
    with installed_host("machine-end", machine_root(), keeps_journal=True) as belfry:
        host = belfry.host
        host.reboot("multi-user.target")
        bare = seconds_of_boot(host)
        applications = [Application(host, f"shop{number}") for number in range(100)]
        for application in applications:
            install = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
            host.write(f"/usr/lib/systemd/system/{application.unit.name}", install)
            application.write()
        host.systemctl("enable", *(application.unit.name for application in applications))
        host.reboot("multi-user.target")

        for application in applications:
            application.wait_until_up(120)
        resident = sum(memory(unit.outer_pid()) for one in applications for unit in (one, one.listener))
        figures.append(
            f"100 applications: the boot took {seconds_of_boot(host):.1f} s (without {bare:.1f} s),"
            f" {resident / 100 / 1024:.1f} MiB each"
        )
        assert [application.done() for application in applications] == [["Start"]] * 100
        host.systemctl("stop", *(application.unit.name for application in applications))
        assert {application.done()[-1] for application in applications} == {"Stop"}
        assert {application.property("ActiveState") for application in applications} == {"inactive"}
