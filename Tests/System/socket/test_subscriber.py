# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A subscriber gets all notifications, in order and without a gap, and the journal has the same."""

from belfry_service import DOORBELL, SERVICE
from sequences import CONTINUE, PAUSE, STOP


def live(belfry) -> list[dict]:
    """The notifications of one run of the service, as a subscriber got them."""
    belfry.configure(DOORBELL)
    belfry.start()
    subscriber = belfry.subscribe()
    belfry.kill("USR1")
    subscriber.until("flushRequested")
    belfry.kill("TSTP")
    subscriber.until("didEnterBackground")
    belfry.kill("CONT")
    subscriber.until("didBecomeActive")
    belfry.kill("RTMIN+5")
    subscriber.until("org.example.doorbell")
    belfry.host.systemctl("reload", SERVICE)
    subscriber.until("didReload")
    belfry.ctl("post", "org.example.lantern")
    subscriber.until("org.example.lantern")
    belfry.host.systemctl("stop", SERVICE)
    list(subscriber.to_the_end())
    return subscriber.seen


def test_subscriber_gets_all_notifications_without_a_gap_and_the_journal_has_the_same(belfry):
    seen = live(belfry)

    reload = ["willReload", "didReload"]
    posted = ["org.example.lantern"]
    assert [n["name"] for n in seen] == (
        ["flushRequested"] + PAUSE + CONTINUE + ["org.example.doorbell"] + reload + posted + STOP
    )
    first = seen[0]["sequence"]
    assert [n["sequence"] for n in seen] == list(range(first, first + len(seen)))
    assert [n["monotonicUsec"] for n in seen] == sorted(n["monotonicUsec"] for n in seen)
    belfry.start()
    # As the service sees it: the sandbox takes away the id that a container puts over that of its kernel.
    seen_by_unit = ["nsenter", "--mount", f"--target={belfry.main_pid()}", "cat", "/proc/sys/kernel/random/boot_id"]
    boot = belfry.host.run(*seen_by_unit).stdout.strip().replace("-", "")
    assert {n["bootId"].replace("-", "") for n in seen} == {boot}
    assert_journal_has_the_same(belfry, seen)


def assert_journal_has_the_same(belfry, seen: list[dict]) -> None:
    records = {int(record["BELFRY_SEQUENCE"]): record for record in belfry.notifications()}
    for notification in seen:
        record = records[notification["sequence"]]
        origin = notification["origin"]
        assert record["BELFRY_NOTIFICATION"] == notification["name"]
        assert record["BELFRY_STATE"] == notification["state"]
        assert record["BELFRY_PREVIOUS_STATE"] == notification["previousState"]
        assert record["BELFRY_ORIGIN"] == origin["kind"]
        assert record.get("BELFRY_SIGNAL") == origin.get("signal")
        if origin["kind"] == "signal":
            assert record["BELFRY_SENDER_PID"] == str(origin["pid"])
            assert record["BELFRY_SENDER_UID"] == str(origin["uid"])
            assert record.get("BELFRY_SENDER_UNIT") == origin.get("unit")
        assert record["_SYSTEMD_UNIT"] == SERVICE
        assert record["SYSLOG_IDENTIFIER"] == "belfryd"
        assert abs(int(record["__REALTIME_TIMESTAMP"]) - notification["realtimeUsec"]) < 5_000_000
