# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An idle service costs nothing."""

import pytest
from login_double import BOTH, wait_for_locks

SECONDS = 60


def wake_ups(belfry) -> int:
    """The number of voluntary and involuntary context switches of all threads of the daemon."""
    pid = belfry.main_pid()
    text = belfry.host.run("sh", "-c", f"cat /proc/{pid}/task/*/status").stdout
    return sum(int(line.split()[1]) for line in text.splitlines() if "ctxt_switches" in line)


@pytest.mark.first
def test_idle_service_has_one_thread_and_does_not_wake_up(on_each):
    belfry = on_each
    belfry.drop_in(WatchdogSec="0")
    belfry.start()
    subscriber = belfry.subscribe()
    assert subscriber.state["state"] == "active"
    wait_for_locks(belfry, BOTH)
    # After the reply to this call it has nothing left to do.
    belfry.ctl("status")
    # But for one look, a second after the launch, at who else reads its signals.
    belfry.host.run("sleep", "5")

    before = wake_ups(belfry)
    belfry.host.run("sleep", str(SECONDS), timeout=SECONDS + 30)

    assert wake_ups(belfry) == before
    assert "Threads:\t1\n" in belfry.process("status")
