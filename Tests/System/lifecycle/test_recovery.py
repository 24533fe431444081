# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The start after kill -9 or a watchdog timeout is a normal one."""

from belfry_service import DROP_INS, SERVICE
from sequences import CONTINUE, PAUSE


def assert_works(on_each) -> None:
    """A pause and a continue, seen by a subscriber."""
    subscriber = on_each.subscribe()
    assert subscriber.state["state"] == "active"
    on_each.kill("TSTP")
    assert [n["name"] for n in subscriber.until("didEnterBackground")] == PAUSE
    on_each.kill("CONT")
    assert [n["name"] for n in subscriber.until("didBecomeActive")] == CONTINUE


def test_seven_crashes_do_not_keep_it_down(started_on_each):
    """By default systemd gives up after five starts in ten seconds."""
    for _ in range(7):
        before = started_on_each.main_pid()
        started_on_each.kill("KILL")
        started_on_each.wait_for_another(before)

    assert started_on_each.properties("NRestarts") == {"NRestarts": "7"}
    assert_works(started_on_each)


def test_service_that_could_not_start_is_back_by_one_command(on_each):
    """It is given up after five starts instead of 60, for which a loaded machine may need more than the 30 s."""
    shipped = on_each.properties("StartLimitBurst", "StartLimitIntervalUSec")
    assert shipped == {"StartLimitBurst": "60", "StartLimitIntervalUSec": "30s"}
    on_each.host.write(f"{DROP_INS}/limit.conf", "[Unit]\nStartLimitBurst=5\n")
    on_each.drop_in(ExecStartPre="/bin/test -e /run/repaired", RestartSec="20ms")
    on_each.host.systemctl("start", SERVICE, check=False)
    on_each.wait_for(lambda: on_each.property("ActiveState") == "failed", "be given up", 60)
    on_each.host.write("/run/repaired", "")

    on_each.wait_for(lambda: on_each.host.systemctl("start", SERVICE, check=False).returncode == 0, "start", 40)

    assert_works(on_each)


def test_idle_service_sends_keep_alives(on_each):
    on_each.drop_in(WatchdogSec="6s")
    on_each.start()
    first = on_each.main_pid()

    # The test waits for five watchdog periods, in which nothing may happen.
    on_each.host.run("sleep", "30")

    assert on_each.main_pid() == first
    assert on_each.properties("NRestarts") == {"NRestarts": "0"}
