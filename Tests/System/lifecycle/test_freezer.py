# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl freeze` and `thaw`: the process is not notified, and its control group counts the time."""

import json
import time

import pytest
from belfry_instance import BelfryInstance
from belfry_service import DROP_INS, SERVICE
from documentation import code_block

# WatchdogSec= of the unit, and a longer time.
WATCHDOG, LONGER = 30, 40


def frozen_usec(belfry) -> int:
    """The frozen time that the kernel has counted for the unit's group."""
    group = belfry.property("ControlGroup")
    lines = belfry.host.run("cat", f"/sys/fs/cgroup{group}/cgroup.stat.local").stdout.splitlines()
    return int(dict(line.split() for line in lines)["frozen_usec"])


def freeze_and_thaw(belfry, seconds: float = 0.5) -> int:
    """Freezes the unit for about this time; returns the microseconds that the kernel has counted."""
    before = frozen_usec(belfry)
    belfry.host.systemctl("freeze", belfry.name)
    belfry.host.run("sleep", str(seconds))
    belfry.host.systemctl("thaw", belfry.name)
    return frozen_usec(belfry) - before


def test_resume_after_a_freeze_has_its_exact_duration(started_on_each):
    belfry = started_on_each
    subscriber = belfry.subscribe()

    counted = freeze_and_thaw(belfry)

    resumed = subscriber.next()
    assert resumed["name"] == "didResume"
    assert resumed["userInfo"] == {"cause": "freezer", "durationUsec": counted, "durationIsExact": True}
    assert counted > 400_000
    assert resumed["origin"]["kind"] == "service"
    assert belfry.status()["state"] == "active"
    record = belfry.notifications()[-1]
    assert record["MESSAGE"].endswith(f"suspended by the freezer for {counted // 1000} ms")


def test_cont_after_a_freeze_is_reported_by_itself(started_on_each):
    subscriber = started_on_each.subscribe()

    freeze_and_thaw(started_on_each, 0.1)
    started_on_each.kill("CONT")
    resumed = [subscriber.next(), subscriber.next()]
    started_on_each.kill("USR1")

    assert subscriber.next()["name"] == "flushRequested"
    assert [(n["name"], n["userInfo"]["cause"]) for n in resumed] == [("didResume", "freezer"), ("didResume", "signal")]


def test_duration_that_the_kernel_does_not_count_is_marked_as_an_upper_bound(on_each):
    belfry = on_each
    belfry.drop_in(InaccessiblePaths=f"/sys/fs/cgroup/system.slice/{SERVICE}/cgroup.stat.local")
    begin = time.monotonic()
    belfry.start()
    subscriber = belfry.subscribe()

    counted = freeze_and_thaw(belfry)

    resumed = subscriber.next()
    assert resumed["name"] == "didResume"
    bound = resumed["userInfo"]["durationUsec"]
    assert resumed["userInfo"] == {"cause": "freezer", "durationUsec": bound, "durationIsExact": False}
    assert counted <= bound <= (time.monotonic() - begin) * 1_000_000
    assert belfry.status()["state"] == "active"
    record = next(r for r in belfry.notifications() if r["BELFRY_SEQUENCE"] == str(resumed["sequence"]))
    assert record["MESSAGE"].endswith(f"suspended by the freezer for at most {bound // 1000} ms")


@pytest.fixture
def suspended(belfry, belfry_on_trixie):
    """To freeze as installed: an instance on systemd 252, and the service on 257. To freeze with the drop-in of the page: the
    service on 252. To stop by SIGSTOP: an instance on each."""
    frozen = BelfryInstance(belfry.host, "frozen")
    stopped = [BelfryInstance(each.host, "stopped") for each in (belfry, belfry_on_trixie)]
    # Else systemd 252 takes a minute to end what it cannot thaw.
    hasty = f"/run/systemd/system/{frozen.name}.d"
    frozen.host.write(f"{hasty}/hasty.conf", "[Service]\nTimeoutStopSec=5s\n")
    belfry.host.write(f"{DROP_INS}/override.conf", code_block("ini", f"/system/{SERVICE}.d/override.conf"))
    belfry.host.systemctl("daemon-reload")
    try:
        yield frozen, belfry_on_trixie, belfry, stopped
    finally:
        # systemd 257 does not stop a frozen unit.
        belfry_on_trixie.host.systemctl("thaw", SERVICE, check=False)
        for instance in (frozen, *stopped):
            instance.remove()
        frozen.host.run("rm", "-r", hasty)
        frozen.host.systemctl("daemon-reload")


def assert_goes_on(belfry, pid: int) -> None:
    """The process has not ended, and the journal has the end of the freeze."""
    assert (belfry.main_pid(), belfry.property("NRestarts")) == (pid, "0")
    belfry.wait_for(lambda: belfry.notifications()[-1]["BELFRY_NOTIFICATION"] == "didResume", "log the end of the freeze")
    resumed = json.loads(belfry.notifications()[-1]["BELFRY_USER_INFO"])
    assert resumed["cause"] == "freezer" and resumed["durationUsec"] > WATCHDOG * 1_000_000


def assert_was_ended_by_the_watchdog(belfry) -> None:
    """It has failed for this reason, and was started again."""
    again = {"NRestarts": "1", "SubState": "running"}
    belfry.wait_for(lambda: belfry.properties(*again) == again, "be started again")
    assert f"{belfry.name}: Failed with result 'watchdog'." in belfry.messages()


def test_suspension_that_is_longer_than_the_watchdog(suspended):
    frozen, newer, unwatched, stopped = suspended
    for service in (frozen, newer, unwatched, *stopped):
        service.start()
    assert [service.property("WatchdogUSec") for service in (frozen, newer, *stopped)] == [f"{WATCHDOG}s"] * 4
    pids = {service: service.main_pid() for service in (newer, unwatched)}

    for service in (frozen, newer, unwatched):
        service.host.systemctl("freeze", service.name)
    for service in stopped:
        service.kill("STOP")
    begin = time.monotonic()

    # systemd 252 aborts the frozen process, which cannot end, and refuses to thaw it.
    frozen.wait_for(lambda: frozen.property("SubState") == "stop-watchdog", "be aborted", LONGER)
    assert frozen.property("Result") == "watchdog"
    refused = frozen.host.systemctl("thaw", frozen.name, check=False)
    assert (refused.returncode, refused.stderr.strip()) == (1, f"Failed to thaw unit {frozen.name}: Unit is inactive.")
    assert_was_ended_by_the_watchdog(frozen)
    for service in stopped:
        assert_was_ended_by_the_watchdog(service)
        assert service.status()["launch"]["cause"] == "watchdog"

    time.sleep(max(0, begin + LONGER - time.monotonic()))
    for service in (newer, unwatched):
        service.host.systemctl("thaw", service.name)
        assert_goes_on(service, pids[service])
