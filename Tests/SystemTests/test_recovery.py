# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""After kill -9 and after the watchdog, the next start is a normal one."""

import pytest
from belfry_service import SERVICE
from sequences import CONTINUE, PAUSE


def assert_works(belfry) -> None:
    """A pause and a continue, seen by a subscriber."""
    subscriber = belfry.subscribe()
    assert subscriber.state["state"] == "active"
    belfry.kill("TSTP")
    assert [n["name"] for n in subscriber.until("didEnterBackground")] == PAUSE
    belfry.kill("CONT")
    assert [n["name"] for n in subscriber.until("didBecomeActive")] == CONTINUE


def test_kill_9_is_followed_by_a_restart_that_works(started):
    subscriber = started.subscribe()
    first = started.main_pid()

    started.kill("KILL")

    started.wait_for_another(first)
    subscriber.until("didBecomeActive")
    assert subscriber.is_consecutive()
    assert started.properties("NRestarts") == {"NRestarts": "1"}
    assert_works(started)


@pytest.mark.parametrize("moment", ["paused", "reloading", "posting", "starting", "stopping"])
def test_kill_9_in_the_middle_leaves_nothing_that_stops_the_next_start(started, moment):
    before = started.status()["sequence"]
    first = started.main_pid()
    if moment == "paused":
        started.kill("TSTP")
    elif moment == "reloading":
        started.kill("HUP")
    elif moment == "posting":
        started.connect().send("Post", {"name": "org.example.doorbell", "wait": True})
    elif moment == "starting":
        started.host.systemctl("stop", SERVICE)
        started.host.systemctl("start", "--no-block", SERVICE)
        started.wait_for(lambda: started.main_pid() not in (0, first), "be forked")
        first = started.main_pid()
    elif moment == "stopping":
        started.kill("TERM")
    started.host.run("sh", "-c", f"kill -KILL {first} 2>/dev/null || true")

    if moment == "stopping":
        started.wait_until_inactive()
        started.start()
    started.wait_for_another(first)
    assert_works(started)
    assert started.status()["sequence"] > before


def test_kill_9_of_a_service_started_alone_leaves_no_file_in_the_way(belfry):
    """Without systemd's socket the daemon binds its own, and finds the old one after a crash."""
    address = "/run/belfry-alone/io.belfry.Lifecycle"
    belfry.host.path("/run/belfry-alone").mkdir(exist_ok=True)
    for _ in range(2):
        alone = ["systemd-run", "--quiet", "--unit=belfry-alone", "--property=Type=notify", "--collect"]
        belfry.host.run(*alone, "belfryd", "--config", "/dev/null", "--socket", address)
        assert '"active"' in belfry.ctl("--socket", address, "status", "--json").stdout
        belfry.host.systemctl("kill", "--signal=KILL", "belfry-alone.service")
        gone = lambda: belfry.host.properties("belfry-alone.service", "ActiveState")["ActiveState"] == "inactive"
        belfry.wait_for(gone, "be collected")


def test_watchdog_kills_a_hung_service_and_the_next_one_works(belfry):
    belfry.drop_in(WatchdogSec="2s")
    belfry.start()
    first = belfry.main_pid()

    belfry.kill("STOP")

    belfry.wait_for_another(first)
    assert "watchdog" in "\n".join(belfry.messages()).lower()
    assert belfry.properties("NRestarts") == {"NRestarts": "1"}
    assert_works(belfry)


def test_watchdog_is_kept_content_while_idle(belfry):
    belfry.drop_in(WatchdogSec="1s")
    belfry.start()
    first = belfry.main_pid()

    # Five periods of the watchdog are the event here: that it does not come.
    belfry.host.run("sleep", "5")

    assert belfry.main_pid() == first
    assert belfry.properties("NRestarts") == {"NRestarts": "0"}
