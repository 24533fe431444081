# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGCONT after SIGSTOP, and by itself: the kernel does not say which it was. A stop of a stopped process."""

from belfry_service import SERVICE


def stop_and_continue(belfry) -> None:
    """Stops the daemon, waits until it is stopped, and continues it."""
    belfry.kill("STOP")
    belfry.wait_until_stopped()
    belfry.kill("CONT")


def test_return_from_a_stop_has_its_cause_and_its_sender(waiting):
    subscriber = waiting.subscribe()

    stop_and_continue(waiting)

    sender = {"pid": 1, "uid": 0, "unit": "init.scope", "command": "systemd"}
    resumed = subscriber.next()
    assert (resumed["name"], resumed["userInfo"]) == ("didResume", {"cause": "signal"})
    assert resumed["origin"] == {"kind": "signal", "signal": "SIGCONT", "value": 0, **sender}
    record = waiting.notifications()[-1]
    assert record["BELFRY_SIGNAL"] == "SIGCONT"
    assert {name: record[f"BELFRY_SENDER_{name.upper()}"] for name in sender} == {k: str(v) for k, v in sender.items()}
    assert "SIGCONT from pid 1 (systemd), uid 0, init.scope" in record["MESSAGE"]
    assert record["MESSAGE"].endswith(", continued by a signal")
    assert waiting.status()["state"] == "active"


def test_stop_of_a_stopped_process_is_clean_too(started_on_each):
    started_on_each.kill("STOP")

    started_on_each.host.systemctl("stop", SERVICE)

    assert started_on_each.properties("Result") == {"Result": "success"}
    assert [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()][-1] == "willTerminate"
