# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl freeze` and `thaw`: the process is not notified, and its control group counts the time."""

import time

from belfry_service import SERVICE


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
    started_on_each.kill("USR1")

    seen = subscriber.until("flushRequested")
    assert [n["name"] for n in seen] == ["didResume", "didResume", "flushRequested"]
    assert [n["userInfo"]["cause"] for n in seen[:2]] == ["freezer", "signal"]


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
