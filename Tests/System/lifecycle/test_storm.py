# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Too many signals of one kind are merged with their count, and logged."""

from belfry_service import SERVICE

LIMIT = "[Service]\nSignalLimitBurst=20\nSignalLimitInterval=200ms\n"


def storm(belfry, signal: str, count: int):
    """Sends this many signals as fast as a shell can, during the test."""
    send = f"kill -{signal} {belfry.main_pid()} 2>/dev/null || exit 0"
    loop = f"i=0; while [ $i -lt {count} ]; do {send}; i=$((i+1)); done"
    return belfry.host.running("sh", "-c", loop)


def test_storm_is_merged_with_its_count_and_logged(on_each):
    on_each.configure(LIMIT)
    on_each.start()
    subscriber = on_each.subscribe()

    with storm(on_each, "PWR", 20_000) as sender:
        assert sender.wait(timeout=60) == 0
    on_each.host.run("sh", "-c", f"kill -USR2 {on_each.main_pid()}")
    # The merged one comes at the end of its interval, before or after the mark.
    seen = subscriber.until("statusRequested")
    while not any("count" in n["userInfo"] for n in seen):
        seen.append(subscriber.next())

    failing = [n for n in seen if n["name"] == "powerFailing"]
    merged = [n["userInfo"]["count"] for n in failing if "count" in n["userInfo"]]
    assert len(failing) < 2000 and max(merged) > 1
    assert sum(merged) + len(failing) - len(merged) <= 20_000
    assert all(n["origin"]["command"] == "sh" for n in failing if "command" in n["origin"])
    records = [r for r in on_each.journal() if "PWR came more than 20 times within 0.2 seconds" in r["MESSAGE"]]
    assert records and records[0]["BELFRY_SIGNAL"] == "SIGPWR" and records[0]["PRIORITY"] == "4"
    counts = [int(r["BELFRY_SIGNAL_COUNT"]) for r in on_each.journal() if "BELFRY_SIGNAL_COUNT" in r]
    assert set(merged) <= set(counts)


def test_clients_are_served_and_a_stop_is_obeyed_during_a_storm(on_each):
    on_each.configure(LIMIT)
    on_each.start()
    with storm(on_each, "HUP", 2_000_000):
        for _ in range(5):
            assert on_each.status()["state"] == "active"
        on_each.ctl("pause")
        on_each.ctl("resume")
        on_each.host.systemctl("stop", SERVICE)

    assert on_each.properties("Result", "NRestarts") == {"Result": "success", "NRestarts": "0"}


def test_last_of_a_storm_of_pauses_and_continues_takes_effect_with_its_count(on_each):
    on_each.configure("[Service]\nSignalLimitBurst=1\nSignalLimitInterval=2s\n")
    on_each.start()
    subscriber = on_each.subscribe()
    pid = on_each.main_pid()
    # All that the limit leaves, which pauses and continues share.
    on_each.kill("TSTP")
    subscriber.until("didEnterBackground")
    loop = f"i=0; while [ $i -lt 5000 ]; do kill -TSTP {pid}; kill -CONT {pid}; i=$((i+1)); done"
    on_each.host.run("sh", "-c", loop)

    # A pending SIGTSTP is discarded by SIGCONT (signal(7)): in spite of merging, the last signal is SIGCONT.
    merged = [n for n in subscriber.until("didBecomeActive") if "count" in n["userInfo"]]

    assert on_each.status()["state"] == "active"
    assert len(merged) == 1 and 1 < merged[0]["userInfo"]["count"] <= 10_000
    assert merged[0]["name"] == "didBecomeActive"
    assert merged[0]["origin"]["signal"] == "SIGCONT"
    assert any("merging what follows" in message for message in on_each.messages())
    counts = [r["BELFRY_SIGNAL_COUNT"] for r in on_each.journal() if "BELFRY_SIGNAL_COUNT" in r]
    assert counts == [str(merged[0]["userInfo"]["count"])]
