# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Two ways to send SIGRTMIN+18 with a value, and the host of each."""

from belfry_service import SERVICE


def with_kill(belfry, value: int) -> None:
    belfry.host.run("/bin/kill", "-s", "RTMIN+18", "-q", str(value), str(belfry.main_pid()))


def with_systemctl(belfry, value: int) -> None:
    kill = ["kill", "--kill-whom=main", "--signal=SIGRTMIN+18", f"--kill-value={value:#x}", SERVICE]
    belfry.host.systemctl(*kill)


SENDERS = [("machine_host", with_kill), ("trixie_host", with_systemctl)]
