# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGSTOP cannot be announced; the return from it can."""

import time


def stop_and_continue(belfry, seconds: float = 0) -> None:
    """Stops the daemon, waits until the kernel says so and for the time given, and continues it."""
    pid = belfry.main_pid()
    belfry.kill("STOP")
    while " T " not in belfry.host.run("cat", f"/proc/{pid}/stat").stdout:
        pass
    time.sleep(seconds)
    belfry.kill("CONT")


def test_return_from_a_stop_tells_its_cause_and_duration(started):
    subscriber = started.subscribe()
    stop_and_continue(started, seconds=0.5)

    resumed = subscriber.next()
    assert resumed["name"] == "didResume"
    assert resumed["userInfo"]["cause"] == "signal"
    assert resumed["userInfo"]["durationUsec"] >= 400_000
    assert resumed["origin"]["signal"] == "SIGCONT"
    assert started.status()["state"] == "active"


def test_return_from_a_stop_in_the_background_continues_the_service(started):
    subscriber = started.subscribe()
    started.kill("TSTP")
    subscriber.until("didEnterBackground")
    stop_and_continue(started)

    returned = [n["name"] for n in subscriber.until("didBecomeActive")]
    assert returned == ["didResume", "willEnterForeground", "didBecomeActive"]


def test_signals_sent_during_a_stop_are_not_lost(started):
    subscriber = started.subscribe()
    started.kill("STOP")
    started.kill("USR1")
    started.kill("CONT")

    arrived = {subscriber.next()["name"], subscriber.next()["name"]}
    assert arrived == {"didResume", "flushRequested"}
