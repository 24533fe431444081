# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Listeners that report progress get more time, listeners that hang do not."""

import time

from belfry_service import SERVICE
from varlink_client import Subscriber


def test_stop_with_progress_reports_gets_the_time_it_needs(probe):
    probe.start("slow=8", TimeoutStopSec="5s")
    began = time.monotonic()

    probe.stop()

    assert time.monotonic() - began > 8
    assert probe.properties("Result", "ExecMainCode", "ExecMainStatus") == {
        "Result": "success",
        "ExecMainCode": "1",
        "ExecMainStatus": "0",
    }
    assert not any("gave no answer" in message for message in probe.messages())


def pause_for_real(belfry, **settings: str) -> Subscriber:
    """Starts the service in a unit with these settings, and pauses it so that its process stops itself."""
    belfry.drop_in(**settings)
    belfry.configure("[Service]\nStopOnPause=yes\n")
    belfry.start()
    subscriber = belfry.subscribe()
    belfry.kill("TSTP")
    belfry.wait_until_stopped()
    return subscriber


def test_pause_longer_than_the_watchdog_is_survived(on_each):
    subscriber = pause_for_real(on_each, WatchdogSec="6s")
    pid = on_each.main_pid()

    # The test waits for three watchdog periods, in which nothing may happen.
    on_each.host.run("sleep", "18")
    on_each.kill("CONT")

    assert subscriber.until("didBecomeActive")[-1]["state"] == "active"
    assert on_each.main_pid() == pid
    assert on_each.properties("NRestarts", "ActiveState") == {"NRestarts": "0", "ActiveState": "active"}
    # From now on the watchdog counts again.
    on_each.kill("STOP")
    on_each.wait_for_another(pid)
    assert "watchdog" in "\n".join(on_each.messages()).lower()


def test_stop_of_a_service_that_has_stopped_itself_is_clean(on_each):
    pause_for_real(on_each)

    on_each.host.systemctl("stop", SERVICE)

    assert on_each.properties("Result") == {"Result": "success"}
