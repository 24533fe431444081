# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The soak finds no fault in a short time, and its model reports what a service could do wrong."""

import random
from types import SimpleNamespace

import pytest
import soak
from fault import Fault
from soak_model import POST, RING, Model, View

SECONDS = 20


def test_soak_finds_nothing(belfry, figures):
    seed = random.randrange(1 << 32)
    figures.append(f"soak, seed {seed}:")
    figures.extend(soak.Soak(belfry, seed).run(SECONDS))


@pytest.fixture
def stopped():
    """A soak in which the service was stopped and started."""
    stopped = soak.Soak(SimpleNamespace(host=None), seed=1)
    ending = soak.Interruption(stopped.belfry, 1, stopped.chance)
    ending.kind, ending.ended = "stop and start", 80.5
    stopped.endings.append(ending)
    stopped.model.names[1] = POST
    return stopped


def test_slow_reader_may_read_the_end_by_a_stop_after_the_next_interruption(stopped):
    stopped.slow.connected, stopped.slow.view.last = 50, 1
    stopped.disconnected(stopped.slow, since=50, now=100)


@pytest.mark.parametrize(
    ("reader", "connected"),
    [(lambda soak: soak.slow, 90), (lambda soak: soak.steady[0], 50)],
    ids=["slow reader that came after the stop", "reader that would have read it before"],
)
def test_other_end_of_a_subscription_is_a_fault(stopped, reader, connected):
    follower = reader(stopped)
    follower.connected, follower.view.last = connected, 1
    with pytest.raises(Fault, match="closed a subscription"):
        stopped.disconnected(follower, since=connected, now=100)


def post(number: int, value: int, **changes) -> dict:
    states = {"state": "active", "previousState": "active"}
    return {"sequence": number, "name": POST, "userInfo": {"post": value}, **states, **changes}


def change(number: int, name: str, before: str, after: str) -> dict:
    return {"sequence": number, "name": name, "previousState": before, "state": after, "userInfo": {}}


@pytest.fixture
def model():
    return Model(retained=100)


@pytest.fixture
def view(model):
    """Of a subscriber to everything, that has seen the posts 1 and 2."""
    view = View(model)
    view.begin(10)
    view.see(post(11, 1))
    view.see(post(12, 2))
    return view


def test_faultless_service_is_accepted(model, view):
    model.accept(1, 11)
    model.accept(3, 13)
    view.see(post(13, 3))
    view.see(change(14, "willResignActive", "active", "inactive"))
    view.see(change(15, "didEnterBackground", "inactive", "background"))
    view.see(change(16, "willFinishLaunching", "notRunning", "inactive"))
    view.check(16)
    model.check(16)

    assert model.checks == {"notifications": 6, "accepted posts": 2, "views": 1}


RINGS = {"name": RING, "origin": {"value": 7}}
LEAVING = change(13, "willResignActive", "active", "inactive")


@pytest.mark.parametrize(
    "steps, fault",
    [
        ([post(14, 4)], "notification 14 came after 12"),
        ([post(12, 2)], "notification 12 came after 12"),
        ([post(13, 2)], "has the numbers 12 and 13"),
        ([post(13, 0, **RINGS), post(14, 0, **RINGS)], "has the numbers 13 and 14"),
        ([change(13, "didEnterBackground", "active", "background")], "illegal change of state"),
        ([change(13, "didBecomeActive", "inactive", "background")], "illegal change of state"),
        ([post(13, 3, previousState="background")], "illegal change of state"),
        ([LEAVING, change(14, "willResignActive", "active", "inactive")], "the state was inactive"),
    ],
    ids=["dropped", "doubled", "post with two numbers", "signal with two numbers", *["illegal"] * 3, "not the present state"],
)
def test_fault_in_what_a_subscriber_sees_is_found(view, steps, fault):
    for step in steps[:-1]:
        view.see(step)
    with pytest.raises(Fault, match=fault):
        view.see(steps[-1])


def test_accepted_post_that_nobody_saw_is_a_fault(model, view):
    model.accept(9, 13)
    view.see(LEAVING)
    with pytest.raises(Fault, match="post 9 was accepted as 13"):
        model.check(13)


def test_accepted_post_with_the_payload_of_another_is_a_fault(model, view):
    with pytest.raises(Fault, match="has the numbers 12 and 11"):
        model.accept(2, 11)


def test_subscriber_that_is_left_behind_is_a_fault(view):
    with pytest.raises(Fault, match="up to 12 of 13"):
        view.check(13)


def test_two_subscribers_that_see_different_notifications_are_a_fault(model, view):
    other = View(model)
    other.begin(11)
    with pytest.raises(Fault, match="different notifications 12"):
        other.see(post(12, 2, state="background", previousState="background"))


def test_filtered_subscriber_that_misses_a_notification_is_a_fault(model, view):
    filtered = View(model, {POST})
    filtered.begin(10)
    filtered.see(post(12, 2))
    with pytest.raises(Fault, match=r"saw \[12\] up to 12, not \[11, 12\]"):
        filtered.check(12)


def test_overrun_of_a_reader_that_was_not_slow_is_a_fault(view):
    view.overrun(100)
    with pytest.raises(Fault, match="only 99 notifications"):
        view.overrun(99)


def test_only_who_lags_may_need_more_than_memory_has(model, view):
    with pytest.raises(Fault, match="13 to 15 are not retained"):
        view.not_retained(oldest=16)
    view.lags = True
    view.not_retained(oldest=16)
    view.see(post(16, 6))


def test_what_a_stop_took_may_be_gone_once(model, view):
    model.accept(3, 13)
    view.is_after_stop = True
    view.not_retained(oldest=16)
    model.check(15)
    view.see(post(16, 6))
    with pytest.raises(Fault, match="17 to 19 are not retained"):
        view.not_retained(oldest=20)


def test_number_may_not_go_back_after_a_new_connection(view):
    view.begin(12)
    with pytest.raises(Fault, match="number 11 after notification 12"):
        view.begin(11)
