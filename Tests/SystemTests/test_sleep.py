# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The machine's sleep, and the locks that make logind wait: over a bus and a logind that are missing, late, restarted."""

import pytest
from belfry_service import SERVICE
from login_double import LOGIND, LoginDouble, locks
from sequences import CONTINUE, PAUSE

BOTH = {"sleep", "shutdown"}


@pytest.fixture
def login(on_each):
    """A logind that announces what the test says; the service has not been started."""
    double = LoginDouble(on_each.host)
    try:
        double.start()
        on_each.wait_for(double.is_there, "see the double of logind", 10)
        yield double
    finally:
        double.restore()


def wait_for_locks(belfry, expected: set[str]) -> None:
    belfry.wait_for(lambda: locks(belfry.host) == expected, f"hold the locks {expected}")


def test_sleep_waits_until_listeners_are_done_and_waking_goes_back(on_each, login):
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()

    login.announce_sleep(True)
    assert [n["name"] for n in subscriber.until("willSleep")] == [*PAUSE, "willSleep"]
    wait_for_locks(on_each, {"shutdown"})
    login.announce_sleep(False)

    assert [n["name"] for n in subscriber.until("didBecomeActive")] == ["didWake", *CONTINUE]
    wait_for_locks(on_each, BOTH)


def test_service_that_was_paused_before_is_not_continued(on_each, login):
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()
    on_each.kill("TSTP")
    subscriber.until("didEnterBackground")

    login.announce_sleep(True)
    subscriber.until("willSleep")
    login.announce_sleep(False)
    subscriber.until("didWake")
    on_each.kill("USR1")

    assert [n["name"] for n in subscriber.until("flushRequested")] == ["flushRequested"]
    assert on_each.status()["state"] == "background"


def test_pause_before_a_sleep_stops_no_process(on_each, login):
    on_each.configure("[Service]\nStopOnPause=yes\n")
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()

    login.announce_sleep(True)
    subscriber.until("willSleep")
    wait_for_locks(on_each, {"shutdown"})

    assert on_each.status()["state"] == "background"


def test_logind_that_comes_late_is_asked_then(on_each, login):
    login.stop()
    on_each.start()
    assert locks(on_each.host) == set()

    login.start()

    wait_for_locks(on_each, BOTH)


def test_locks_that_are_not_wanted_are_not_taken_and_a_reload_changes_that(on_each, login):
    on_each.configure("[Service]\nInhibitSleep=no\n")
    on_each.start()
    wait_for_locks(on_each, {"shutdown"})

    on_each.configure("[Service]\nInhibitSleep=yes\nInhibitShutdown=no\n")
    on_each.ctl("reload")

    wait_for_locks(on_each, {"sleep"})


# The real logind asks polkit whether the service may, unless it is root; of the two hosts only one has polkit.
AS_ROOT = {"User": "root", "Group": "root"}


@pytest.fixture
def locked(on_each):
    """A service that the real logind waits for."""
    on_each.drop_in(**AS_ROOT)
    on_each.start()
    wait_for_locks(on_each, BOTH)
    return on_each


def test_locks_are_taken_of_the_real_logind_and_given_back_at_the_end(locked):
    locked.host.systemctl("stop", SERVICE)

    wait_for_locks(locked, set())


def test_user_of_the_service_gets_the_locks_by_way_of_polkit(belfry):
    belfry.start()

    wait_for_locks(belfry, BOTH)


def test_refused_lock_is_said_and_nothing_else_is_lost(belfry_on_trixie):
    belfry_on_trixie.start()

    belfry_on_trixie.wait_for(
        lambda: any("Inhibit" in message for message in belfry_on_trixie.messages()), "say that it is refused"
    )
    assert belfry_on_trixie.status()["state"] == "active"


def test_locks_are_held_again_after_a_restart_of_logind(locked):
    locked.host.systemctl("restart", LOGIND)

    wait_for_locks(locked, BOTH)


def test_locks_are_held_again_after_a_restart_of_the_bus(locked):
    locked.host.systemctl("restart", "dbus.service")
    # Newer versions of logind do not look for the bus again.
    locked.host.systemctl("restart", LOGIND)

    wait_for_locks(locked, BOTH)
    locked.host.systemctl("stop", SERVICE)
    assert locked.properties("Result") == {"Result": "success"}


def test_readiness_does_not_wait_for_a_bus_that_comes_late(on_each):
    on_each.drop_in(**AS_ROOT)
    on_each.host.systemctl("stop", "dbus.socket", "dbus.service")
    try:
        on_each.start()
        assert on_each.status()["state"] == "active"
    finally:
        on_each.host.systemctl("start", "dbus.socket", "dbus.service")
        on_each.host.systemctl("restart", LOGIND)

    wait_for_locks(on_each, BOTH)
