# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Sleep of the machine and the inhibitor locks of logind, with a bus and a logind that are missing, late or restarted."""

import pytest
from login_double import BOTH, LOGIND, locks, wait_for_locks
from sequences import CONTINUE, PAUSE


def test_sleep_waits_for_listeners_and_waking_continues_the_service(on_each, login):
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()

    login.announce_sleep(True)
    assert [n["name"] for n in subscriber.until("willSleep")] == [*PAUSE, "willSleep"]
    wait_for_locks(on_each, {"shutdown"})
    login.announce_sleep(False)

    assert [n["name"] for n in subscriber.until("didBecomeActive")] == ["didWake", *CONTINUE]
    wait_for_locks(on_each, BOTH)


@pytest.fixture
def sleeper(on_each, login):
    """A program with a minute to answer `willSleep`; logind waits ten seconds."""
    login.limit_delay(10)
    on_each.start()
    wait_for_locks(on_each, BOTH)
    with on_each.connect() as program:
        program.attach("sleeper", "willSleep")
        yield program


def overruns(belfry) -> list[str]:
    return [message for message in belfry.messages() if "not done" in message]


def test_sleep_waits_no_longer_than_logind_does(on_each, login, sleeper):
    login.announce_sleep(True)
    assert sleeper.reply()["notification"]["name"] == "willSleep"

    wait_for_locks(on_each, {"shutdown"})

    message = "listeners were not done in the 10.0 seconds that logind waits, the machine sleeps all the same"
    assert overruns(on_each) == [message]


def sleep_with_stop_on_pause(on_each, login):
    """Starts the service, and has the machine sleep. Returns a subscriber, which has heard of it."""
    on_each.configure("[Service]\nStopOnPause=yes\n")
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()
    login.announce_sleep(True)
    subscriber.until("willSleep")
    wait_for_locks(on_each, {"shutdown"})
    return subscriber


def test_pause_before_a_sleep_stops_no_process(on_each, login):
    sleep_with_stop_on_pause(on_each, login)

    assert on_each.status()["state"] == "background"


def test_pause_during_a_sleep_stops_the_process_after_it(on_each, login):
    subscriber = sleep_with_stop_on_pause(on_each, login)

    on_each.ctl("pause")
    login.announce_sleep(False)
    on_each.wait_until_stopped()
    on_each.kill("CONT")

    assert [n["name"] for n in subscriber.until("didBecomeActive")] == ["didWake", "didResume", *CONTINUE]


def test_process_that_stopped_itself_delays_no_sleep_and_ignores_one_that_is_over(on_each, login):
    on_each.configure("[Service]\nStopOnPause=yes\n")
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()
    on_each.kill("TSTP")
    on_each.wait_until_stopped()
    wait_for_locks(on_each, set())

    login.announce_sleep(True)
    login.announce_sleep(False)
    on_each.kill("CONT")
    wait_for_locks(on_each, BOTH)
    on_each.kill("USR1")

    assert [n["name"] for n in subscriber.until("flushRequested")] == [*PAUSE, "didResume", *CONTINUE, "flushRequested"]


def test_locks_that_are_not_configured_are_not_taken_until_a_reload(on_each, login):
    on_each.configure("[Service]\nInhibitSleep=no\n")
    on_each.start()
    wait_for_locks(on_each, {"shutdown"})

    on_each.configure("[Service]\nInhibitSleep=yes\nInhibitShutdown=no\n")
    on_each.ctl("reload")

    wait_for_locks(on_each, {"sleep"})


# The real logind asks polkit whether the service may, unless it is root.
AS_ROOT = {"User": "root", "Group": "root"}
POLKIT = "polkit.service"


@pytest.fixture
def without_polkit(on_each):
    """A host without polkit."""
    on_each.host.systemctl("mask", "--runtime", "--now", POLKIT)
    yield on_each
    on_each.host.systemctl("unmask", "--runtime", POLKIT)


def test_refused_lock_is_logged_and_nothing_else_is_lost(without_polkit):
    without_polkit.start()

    without_polkit.wait_for(
        lambda: any("Inhibit" in message for message in without_polkit.messages()), "say that it is refused"
    )
    assert locks(without_polkit.host) == set()
    assert without_polkit.status()["state"] == "active"


def test_readiness_does_not_wait_for_a_late_bus(on_each):
    on_each.drop_in(**AS_ROOT)
    on_each.host.systemctl("stop", "dbus.socket", "dbus.service")
    try:
        on_each.start()
        assert on_each.status()["state"] == "active"
    finally:
        on_each.host.systemctl("start", "dbus.socket", "dbus.service")
        on_each.host.systemctl("restart", LOGIND)

    wait_for_locks(on_each, BOTH)
