# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGSTOP cannot be announced; the return from it can."""

import time

import pytest
from sequences import CONTINUE


def stop_and_continue(belfry, seconds: float = 0) -> None:
    """Stops the daemon, waits until the kernel says so and for the time given, and continues it."""
    belfry.kill("STOP")
    belfry.wait_until_stopped()
    time.sleep(seconds)
    belfry.kill("CONT")


def test_return_from_a_stop_tells_its_cause_and_duration(waiting):
    subscriber = waiting.subscribe()
    stop_and_continue(waiting, seconds=0.5)

    resumed = subscriber.next()
    assert resumed["name"] == "didResume"
    duration = resumed["userInfo"]["durationUsec"]
    # The kernel does not say when it was stopped, so that this is a bound.
    assert resumed["userInfo"] == {"cause": "signal", "durationUsec": duration, "durationIsExact": False}
    assert duration >= 400_000
    assert waiting.status()["state"] == "active"
    record = waiting.notifications()[-1]
    assert record["MESSAGE"].endswith(f"suspended by a stop signal for at most {duration // 1000} ms")


def test_return_from_a_stop_tells_who_continued_the_service(waiting):
    subscriber = waiting.subscribe()

    stop_and_continue(waiting)

    sender = {"pid": 1, "uid": 0, "unit": "init.scope", "command": "systemd"}
    assert subscriber.next()["origin"] == {"kind": "signal", "signal": "SIGCONT", "value": 0, **sender}
    record = waiting.notifications()[-1]
    assert record["BELFRY_SIGNAL"] == "SIGCONT"
    assert {name: record[f"BELFRY_SENDER_{name.upper()}"] for name in sender} == {k: str(v) for k, v in sender.items()}
    assert "SIGCONT from pid 1 (systemd), uid 0, init.scope" in record["MESSAGE"]


def test_return_from_a_stop_in_the_background_continues_the_service(waiting):
    subscriber = waiting.subscribe()
    waiting.kill("TSTP")
    subscriber.until("didEnterBackground")
    stop_and_continue(waiting)

    returned = [n["name"] for n in subscriber.until("didBecomeActive")]
    assert returned == ["didResume", *CONTINUE]


def test_signals_sent_during_a_stop_are_not_lost(waiting):
    subscriber = waiting.subscribe()
    waiting.kill("STOP")
    waiting.kill("USR1")
    waiting.kill("CONT")

    arrived = {subscriber.next()["name"], subscriber.next()["name"]}
    assert arrived == {"didResume", "flushRequested"}


def test_stop_as_the_service_wakes_up_is_told_too(waiting):
    pid = waiting.main_pid()
    subscriber = waiting.subscribe()

    for _ in range(10):
        waiting.host.run("sh", "-c", f"kill -USR1 {pid}; kill -STOP {pid}; sleep 0.2; kill -CONT {pid}")
        arrived = {subscriber.next()["name"], subscriber.next()["name"]}
        assert arrived == {"flushRequested", "didResume"}


def test_continue_without_another_stop_is_no_second_return(waiting):
    subscriber = waiting.subscribe()
    stop_and_continue(waiting)
    assert subscriber.next()["name"] == "didResume"

    waiting.kill("CONT")
    waiting.kill("USR1")

    assert subscriber.next()["name"] == "flushRequested"


@pytest.fixture
def computing(probe):
    """A service in the midst of a computation, which `finish` ends."""
    probe.start("busy")
    probe.kill("USR1")
    probe.wait_for(probe.host.path("/run/belfry-probe/busy").exists, "begin to compute")
    return probe


def finish(probe) -> list[dict]:
    """Lets it finish its computation, and returns what it says of having been stopped."""
    probe.host.write("/run/belfry-probe/enough", "")
    # Of the signals that wait, the lowest number is read first.
    probe.kill("PWR")
    probe.wait_for(lambda: told(probe, "powerFailing"), "read its signals")
    return told(probe, "didResume")


def told(probe, name: str) -> list[dict]:
    return [r for r in probe.journal() if r.get("BELFRY_NOTIFICATION") == name and "BELFRY_LISTENER" not in r]


def test_stop_in_the_midst_of_a_computation_is_inferred(computing):
    pid = computing.property("MainPID")
    computing.kill("STOP")
    computing.wait_for(lambda: " T " in computing.host.run("cat", f"/proc/{pid}/stat").stdout, "stop")
    began = time.monotonic()
    time.sleep(0.3)
    computing.kill("CONT")
    longest = time.monotonic() - began + 5

    (resumed,) = finish(computing)
    said, _, milliseconds = resumed["MESSAGE"].removesuffix(" ms").rpartition(" ")
    assert said.endswith("apparently suspended by a stop signal for at most")
    assert 300 <= int(milliseconds) <= longest * 1000
    assert resumed["BELFRY_SIGNAL"] == "SIGCONT"


def test_continue_in_the_midst_of_a_computation_is_no_return(computing):
    computing.kill("CONT")

    assert finish(computing) == []


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
