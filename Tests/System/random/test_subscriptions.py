# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Random clients find no fault in a short time, and their model reports what a service could do wrong."""

import pytest
import subscriptions
from fault import Fault
from subscription_model import MOST, ROOM, Entry, History, Memory, View

# The same each time; "make subscriptions" makes others.
EXAMPLES, SEED = 200, 1
A, B = "model.a", "model.b"


def test_each_subscriber_gets_what_it_asked_for(figures):
    figures.append(subscriptions.check(EXAMPLES, SEED))


@pytest.fixture
def history():
    """20 notifications, with `a` and `b` in turn. Memory has 8 and has room for many."""
    history = History(Memory(64 << 10, most=8))
    history.append(*(Entry([A, B][mark % 2], mark) for mark in range(20)))
    return history


def begun(history, names=None, after=None) -> View:
    view = View(history, names and frozenset(names), after)
    view.begin({"sequence": history.last})
    return view


def post(number: int, **changes) -> dict:
    """The notification of `history` with this number."""
    return {"sequence": number, "name": [B, A][number % 2], "userInfo": {"mark": number - 1}, **changes}


def test_faultless_service_is_accepted(history):
    view = begun(history, after=12)
    for number in range(13, 21):
        view.see(post(number))
    assert view.owed() is None
    filtered = begun(history, [B], after=12)
    filtered.see(post(14))
    assert filtered.owed() == 16


@pytest.mark.parametrize(
    ("names", "notification"),
    [
        (None, post(14)),
        (None, post(12)),
        (None, post(13, userInfo={"mark": 13})),
        ([A], post(14)),
        ([A], post(15)),
    ],
    ids=["dropped", "doubled", "content of another", "name of another", "dropped with names"],
)
def test_wrong_notification_is_a_fault(history, names, notification):
    with pytest.raises(Fault, match="after 12 got"):
        begun(history, names, after=12).see(notification)


def test_notification_without_end_is_a_fault(history):
    view = begun(history)
    with pytest.raises(Fault, match="after 20 got 20"):
        view.see(post(20))


@pytest.mark.parametrize("number", [19, 21])
def test_state_with_the_number_of_another_time_is_a_fault(history, number):
    with pytest.raises(Fault, match="the state has number"):
        View(history, None, None).begin({"sequence": number})


def test_past_that_memory_cannot_have_is_a_fault(history):
    with pytest.raises(Fault, match="from 12 on was accepted"):
        begun(history, after=11)


@pytest.mark.parametrize(("after", "oldest"), [(12, 14), (11, 12), (5, 12), (5, 14), (5, 22), (20, 21)])
def test_wrong_not_retained_is_a_fault(history, after, oldest):
    with pytest.raises(Fault, match="NotRetained"):
        View(history, None, after).refuse(oldest)


def test_place_that_not_retained_told_is_kept(history):
    history.memory.size = 6 * MOST
    View(history, None, 5).refuse(15)
    with pytest.raises(Fault, match="NotRetained"):
        View(history, None, 14).refuse(16)


@pytest.fixture
def displaced(history):
    """A subscriber of `a`, and as many others as displace the first that it gets."""
    view = begun(history, [A])
    history.append(Entry(A), *([Entry(B)] * ROOM))
    history.memory.size = 1 << 30
    return view


def test_overrun_with_the_right_count_is_accepted(displaced):
    displaced.overrun(ROOM + 1)


@pytest.mark.parametrize("dropped", [-1, 0, 1, ROOM, ROOM + 2])
def test_overrun_with_a_wrong_count_is_a_fault(displaced, dropped):
    with pytest.raises(Fault, match="got Overrun of"):
        displaced.overrun(dropped)


def test_overrun_of_who_has_everything_is_a_fault(history):
    view = begun(history, [A])
    history.append(*([Entry(B)] * ROOM * 2))
    with pytest.raises(Fault, match="nothing that it asked for has come"):
        view.overrun(ROOM + 1)


def test_long_notification_displaces_all(history):
    view = begun(history)
    history.append(Entry(A), Entry(B, size=40_000))
    view.overrun(2)
    with pytest.raises(Fault, match="was accepted"):
        begun(history, after=20)
