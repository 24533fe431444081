# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The start after kill -9 or a watchdog timeout is a normal one."""

import pytest
from belfry_service import SERVICE
from sequences import CONTINUE, PAUSE


def assert_works(on_each) -> None:
    """A pause and a continue, seen by a subscriber."""
    subscriber = on_each.subscribe()
    assert subscriber.state["state"] == "active"
    on_each.kill("TSTP")
    assert [n["name"] for n in subscriber.until("didEnterBackground")] == PAUSE
    on_each.kill("CONT")
    assert [n["name"] for n in subscriber.until("didBecomeActive")] == CONTINUE


def test_kill_9_is_followed_by_a_restart_that_works(started_on_each):
    subscriber = started_on_each.subscribe()
    first = started_on_each.main_pid()

    started_on_each.kill("KILL")

    started_on_each.wait_for_another(first)
    subscriber.until("didBecomeActive")
    assert subscriber.is_consecutive()
    assert started_on_each.properties("NRestarts") == {"NRestarts": "1"}
    assert_works(started_on_each)


def test_new_subscription_survives_a_restart(on_each):
    on_each.start()
    for _ in range(3):
        subscriber = on_each.subscribe()
        on_each.host.systemctl("restart", SERVICE)
        subscriber.until("didBecomeActive")
        assert subscriber.is_consecutive()


@pytest.mark.parametrize("moment", ["paused", "reloading", "posting", "starting", "stopping"])
def test_kill_9_during_work_does_not_prevent_the_next_start(started_on_each, moment):
    before = started_on_each.status()["sequence"]
    first = started_on_each.main_pid()
    if moment == "paused":
        started_on_each.kill("TSTP")
    elif moment == "reloading":
        started_on_each.kill("HUP")
    elif moment == "posting":
        started_on_each.connect().send("Post", {"name": "org.example.doorbell", "wait": True})
    elif moment == "starting":
        started_on_each.host.systemctl("stop", SERVICE)
        started_on_each.host.systemctl("start", "--no-block", SERVICE)
        started_on_each.wait_for(lambda: started_on_each.main_pid() not in (0, first), "be forked")
        first = started_on_each.main_pid()
    elif moment == "stopping":
        started_on_each.host.systemctl("stop", "--no-block", SERVICE)
    started_on_each.host.run("sh", "-c", f"kill -KILL {first} 2>/dev/null || true")

    if moment == "stopping":
        started_on_each.wait_until_inactive()
        started_on_each.start()
    started_on_each.wait_for_another(first)
    if moment == "paused":
        # The pause may have begun or not.
        started_on_each.ctl("resume")
    assert_works(started_on_each)
    assert started_on_each.status()["sequence"] > before


def test_kill_9_of_a_service_started_alone_leaves_no_file_in_the_way(on_each):
    """Without systemd's socket the daemon binds its own, and finds the old one after a crash."""
    address = "/run/belfry-alone/io.belfry.Lifecycle"
    properties = {"Type": "notify", "RuntimeDirectory": "belfry-alone", "RuntimeDirectoryPreserve": "yes"}
    alone = ["systemd-run", "--quiet", "--unit=belfry-alone", "--collect"]
    alone += [f"--property={name}={value}" for name, value in properties.items()]
    for _ in range(2):
        on_each.host.run(*alone, "belfryd", "--config", "/dev/null", "--socket", address)
        assert '"active"' in on_each.ctl("--socket", address, "status", "--json").stdout
        on_each.host.systemctl("kill", "--signal=KILL", "belfry-alone.service")
        gone = lambda: on_each.host.properties("belfry-alone.service", "ActiveState")["ActiveState"] == "inactive"
        on_each.wait_for(gone, "be collected")


def test_watchdog_kills_a_hung_service_and_the_next_one_works(on_each):
    on_each.drop_in(WatchdogSec="2s")
    on_each.start()
    first = on_each.main_pid()

    on_each.kill("STOP")

    on_each.wait_for_another(first)
    assert "watchdog" in "\n".join(on_each.messages()).lower()
    assert on_each.properties("NRestarts") == {"NRestarts": "1"}
    assert_works(on_each)


def test_idle_service_sends_keep_alives(on_each):
    on_each.drop_in(WatchdogSec="1s")
    on_each.start()
    first = on_each.main_pid()

    # The test waits for five watchdog periods, in which nothing may happen.
    on_each.host.run("sleep", "5")

    assert on_each.main_pid() == first
    assert on_each.properties("NRestarts") == {"NRestarts": "0"}
