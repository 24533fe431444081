# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGCONT after SIGSTOP, and by itself: the kernel does not say which it was."""

from sequences import CONTINUE


def stop_and_continue(belfry) -> None:
    """Stops the daemon, waits until it is stopped, and continues it."""
    belfry.kill("STOP")
    belfry.wait_until_stopped()
    belfry.kill("CONT")


def test_return_from_a_stop_has_its_cause(waiting):
    subscriber = waiting.subscribe()
    stop_and_continue(waiting)

    resumed = subscriber.next()
    assert resumed["name"] == "didResume"
    assert resumed["userInfo"] == {"cause": "signal"}
    assert waiting.status()["state"] == "active"
    assert waiting.notifications()[-1]["MESSAGE"].endswith(", continued by a signal")


def test_return_from_a_stop_has_the_sender(waiting):
    subscriber = waiting.subscribe()

    stop_and_continue(waiting)

    sender = {"pid": 1, "uid": 0, "unit": "init.scope", "command": "systemd"}
    assert subscriber.next()["origin"] == {"kind": "signal", "signal": "SIGCONT", "value": 0, **sender}
    record = waiting.notifications()[-1]
    assert record["BELFRY_SIGNAL"] == "SIGCONT"
    assert {name: record[f"BELFRY_SENDER_{name.upper()}"] for name in sender} == {k: str(v) for k, v in sender.items()}
    assert "SIGCONT from pid 1 (systemd), uid 0, init.scope" in record["MESSAGE"]


def test_continue_after_a_pause_is_no_return_from_a_stop(waiting):
    subscriber = waiting.subscribe()
    waiting.kill("TSTP")
    subscriber.until("didEnterBackground")
    stop_and_continue(waiting)

    assert [n["name"] for n in subscriber.until("didBecomeActive")] == CONTINUE


def test_signals_sent_during_a_stop_are_not_lost(waiting):
    subscriber = waiting.subscribe()
    waiting.kill("STOP")
    waiting.kill("USR1")
    waiting.kill("CONT")

    arrived = {subscriber.next()["name"], subscriber.next()["name"]}
    assert arrived == {"didResume", "flushRequested"}


def test_each_continue_is_reported(waiting):
    subscriber = waiting.subscribe()
    stop_and_continue(waiting)
    assert subscriber.next()["name"] == "didResume"

    waiting.kill("CONT")

    assert subscriber.next()["name"] == "didResume"


STORM = "for i in $(seq 1000); do kill -STOP $0; kill -CONT $0; done"


def test_a_thousand_stops_in_a_row_leave_it_as_it_was(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.host.run("sh", "-c", STORM, str(started_on_each.main_pid()))
    started_on_each.kill("USR1")
    subscriber.until("flushRequested")
    before = started_on_each.footprint()

    started_on_each.host.run("sh", "-c", STORM, str(started_on_each.main_pid()))
    started_on_each.kill("USR1")
    seen = subscriber.until("flushRequested")

    assert {n["name"] for n in seen} <= {"didResume", "flushRequested"}
    after = started_on_each.footprint()
    assert after["RssAnon"] - before["RssAnon"] < 1024
    assert after == before | {"RssAnon": after["RssAnon"]}
    assert started_on_each.status()["state"] == "active"
