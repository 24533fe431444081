# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Other events around a sleep: logind restarts, or the service is paused, held, frozen or stopped."""

from contextlib import contextmanager

import pytest
from belfry_service import SERVICE
from login_double import BOTH, wait_for_locks
from sequences import CONTINUE, PAUSE


def names(notifications) -> list[str]:
    return [n["name"] for n in notifications]


def posted(belfry) -> list[str]:
    return [record["BELFRY_NOTIFICATION"] for record in belfry.notifications()]


@contextmanager
def held(belfry):
    """The service is held by a client."""
    with belfry.connect() as client:
        client.send("Hold", {"reason": "copying"}, more=True)
        client.reply()
        yield


def fall_asleep(belfry, login) -> None:
    """Announces a sleep, and returns when the service has released its lock."""
    login.announce_sleep(True)
    wait_for_locks(belfry, {"shutdown"})


@pytest.fixture
def subscriber(on_each, login):
    """A subscriber to a service that logind waits for."""
    on_each.start()
    wait_for_locks(on_each, BOTH)
    return on_each.subscribe()


def test_sleep_ends_if_a_restarted_logind_does_not_know_it(on_each, login, subscriber):
    fall_asleep(on_each, login)
    subscriber.until("willSleep")

    login.stop()
    login.start()

    assert names(subscriber.until("didBecomeActive")) == ["didWake", *CONTINUE]
    wait_for_locks(on_each, BOTH)
    fall_asleep(on_each, login)
    assert names(subscriber.until("willSleep")) == [*PAUSE, "willSleep"]


def test_shutdown_is_cancelled_if_a_restarted_logind_does_not_know_it(on_each, login, subscriber):
    login.announce_shutdown(True)
    wait_for_locks(on_each, {"sleep"})

    login.stop()
    login.start()

    wait_for_locks(on_each, BOTH)


def test_sleep_announced_before_the_start_is_posted(on_each, login):
    login.announce_sleep(True)
    on_each.start()
    on_each.wait_for(lambda: "willSleep" in posted(on_each), "be notified of the sleep")

    login.announce_sleep(False)

    wait_for_locks(on_each, BOTH)
    on_each.wait_for(lambda: posted(on_each)[-1] == "didBecomeActive", "resume")
    assert posted(on_each)[-6:] == [*PAUSE, "willSleep", "didWake", *CONTINUE]


def test_service_that_is_paused_during_the_sleep_stays_paused(on_each, login, subscriber):
    fall_asleep(on_each, login)
    on_each.ctl("pause")

    login.announce_sleep(False)
    wait_for_locks(on_each, BOTH)
    on_each.kill("USR1")

    assert names(subscriber.until("flushRequested")) == [*PAUSE, "willSleep", "didWake", "flushRequested"]
    assert on_each.status()["state"] == "background"


def test_service_with_a_waiting_pause_stays_paused(on_each, login, subscriber):
    with held(on_each):
        on_each.kill("TSTP")
        on_each.wait_for(lambda: "pause waits for 'copying'" in on_each.messages(), "wait for the hold")
        login.announce_sleep(True)
    wait_for_locks(on_each, {"shutdown"})

    login.announce_sleep(False)
    wait_for_locks(on_each, BOTH)
    on_each.kill("USR1")

    assert names(subscriber.until("flushRequested")) == [*PAUSE, "willSleep", "didWake", "flushRequested"]


def test_hold_that_is_longer_than_the_sleep_leaves_no_pause_behind(on_each, login):
    login.limit_delay(3)
    on_each.start()
    wait_for_locks(on_each, BOTH)
    subscriber = on_each.subscribe()

    with held(on_each):
        fall_asleep(on_each, login)
        login.announce_sleep(False)
        wait_for_locks(on_each, BOTH)
    on_each.kill("USR1")

    assert names(subscriber.until("flushRequested")) == [*PAUSE, "willSleep", "didWake", *CONTINUE, "flushRequested"]


def test_freeze_during_the_sleep_posts_nothing_and_continues_nothing(on_each, login, subscriber):
    fall_asleep(on_each, login)
    subscriber.until("willSleep")

    on_each.host.systemctl("freeze", SERVICE)
    on_each.host.run("sleep", "0.1")
    on_each.host.systemctl("thaw", SERVICE)
    on_each.kill("USR1")
    assert names(subscriber.until("flushRequested")) == ["flushRequested"]
    login.announce_sleep(False)

    assert names(subscriber.until("didBecomeActive")) == ["didWake", *CONTINUE]


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

    assert names(subscriber.until("flushRequested")) == [*PAUSE, "didResume", *CONTINUE, "flushRequested"]
