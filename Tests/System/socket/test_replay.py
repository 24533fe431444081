# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Notifications that are no longer in memory come from the journal, complete, in order and unchanged; or an error has the
first number that is available."""

import json
import random

import pytest
from belfry_service import SERVICE
from test_abuse import Bystander
from test_restart import crash, post, restart
from varlink_client import Subscriber, VarlinkError

# More than fit in memory, and fewer than may wait for journald.
MANY = 3000


def replay(belfry, after: int, last: int, **parameters) -> list[dict]:
    """The past notifications that a new subscriber gets, up to number `last`."""
    subscriber = belfry.subscribe(after=after, **parameters)
    while not subscriber.seen or subscriber.seen[-1]["sequence"] < last:
        subscriber.next()
    return subscriber.seen


def flood(belfry, count: int) -> None:
    """Posts this many, no faster than journald accepts records, since others are dropped."""
    for begin in range(0, count, MANY):
        post_many(belfry, min(MANY, count - begin))
        belfry.wait_until_logged()


def post_many(belfry, count: int = MANY) -> None:
    """Posts this many in portions, because a client that does not read replies is not served."""
    for begin in range(0, count, 1000):
        post(belfry, min(1000, count - begin))


def numbers(notifications: list[dict]) -> list[int]:
    return [n["sequence"] for n in notifications]


def refusal(belfry, after: int) -> int:
    """The oldest number that can be had, when those after `after` cannot."""
    client = belfry.connect()
    client.send("Subscribe", {"after": after}, more=True)
    with pytest.raises(VarlinkError) as refused:
        client.reply()
    assert refused.value.name == "io.belfry.Lifecycle.NotRetained"
    return refused.value.parameters["oldest"]


def test_replayed_notification_equals_the_original(on_each):
    on_each.start()
    live = on_each.subscribe()
    with on_each.connect() as client:
        info = {"a": [1, -2.5, True, None, {"b": {}}], "text": 'ü\n\t"\\', "long": "0123456789" * 20_000}
        client.call("Post", {"name": "org.example.info", "userInfo": info})
    live.until("org.example.info")
    on_each.kill("TSTP")
    live.until("didEnterBackground")
    on_each.host.run("systemctl", "kill", "--signal=CONT", SERVICE)
    live.until("didBecomeActive")
    on_each.host.systemctl("reload", SERVICE)
    live.until("didReload")
    restart(on_each).wait()
    live.until("didBecomeActive")
    for _ in range(3):
        post(on_each, 800)
        post(on_each, 1, "org.example.mark")
        live.until("org.example.mark")
    last = live.seen[-1]["sequence"]

    seen = replay(on_each, live.state["sequence"], last)

    assert live.is_consecutive()
    assert seen == live.seen
    # In the same order of members too.
    assert [json.dumps(n) for n in seen] == [json.dumps(n) for n in live.seen]


def test_replay_from_zero_has_all_notifications_of_the_boot(on_each):
    # Counted from the beginning, as after a boot.
    on_each.host.path("/run/belfry/sequence").unlink(missing_ok=True)
    on_each.start()
    flood(on_each, MANY)
    with on_each.connect() as client:
        last = client.call("GetState")["sequence"]
    subscriber = on_each.subscribe(after=0)
    while not subscriber.seen or subscriber.seen[-1]["sequence"] < last:
        subscriber.next()
    post(on_each, 5)
    for _ in range(5):
        subscriber.next()

    assert numbers(subscriber.seen) == list(range(1, last + 6))


def test_replay_is_filtered_by_name(on_each):
    on_each.start()
    first = on_each.status()["sequence"]
    for _ in range(3):
        post(on_each, 1, "org.example.mark")
        flood(on_each, MANY // 3)
    post(on_each, 1, "org.example.mark")

    seen = replay(on_each, first, first + MANY + 4, names=["org.example.mark"])

    step = MANY // 3 + 1
    assert numbers(seen) == [first + 1 + step * i for i in range(4)]


def test_truncated_journal_is_reported_with_its_first_number(on_each):
    on_each.start()
    first = on_each.status()["sequence"]
    flood(on_each, MANY)
    on_each.host.run("journalctl", "--sync")
    kept = on_each.status()["sequence"] + 1
    on_each.host.run("journalctl", "--rotate")
    flood(on_each, MANY)
    on_each.host.run("journalctl", "--vacuum-size=1")
    last = on_each.status()["sequence"]

    assert refusal(on_each, first) == kept
    assert numbers(replay(on_each, kept - 1, last)) == list(range(kept, last + 1))


def test_notifications_that_were_not_logged_are_a_gap(on_each):
    on_each.configure("[Logger]\nLevel=notice\n")
    on_each.start()
    first = on_each.status()["sequence"]
    post_many(on_each)
    unlogged = on_each.status()["sequence"]
    on_each.configure("")
    on_each.host.systemctl("reload", SERVICE)
    flood(on_each, MANY)
    last = on_each.status()["sequence"]

    oldest = refusal(on_each, first)

    # Between the reload's own two notifications the logger begins to write.
    assert unlogged < oldest <= unlogged + 3
    assert refusal(on_each, oldest - 2) == oldest
    assert numbers(replay(on_each, oldest - 1, last)) == list(range(oldest, last + 1))


def test_service_that_may_not_read_the_journal_logs_it(on_each):
    on_each.drop_in(SupplementaryGroups="")
    on_each.start()
    first = on_each.status()["sequence"]
    flood(on_each, MANY)
    last = on_each.status()["sequence"]

    assert refusal(on_each, first) == last - 1023
    assert any("unable to replay what is not in memory any more" in r["MESSAGE"] for r in on_each.journal())


def test_replay_over_crashes_equals_what_subscribers_saw(on_each):
    """A killed process may have logged a notification that no client received; its number is used again. Records that waited
    for journald in this process are missing in the journal."""
    on_each.drop_in(RestartSec="10ms")
    on_each.start()
    live = on_each.subscribe()
    on_each.wait_until_stored(1 + 1)
    for _ in range(10):
        on_each.host.systemctl("reset-failed")
        before = on_each.main_pid()
        ending = crash(on_each)
        post(on_each, random.randint(100, 500))
        assert ending.wait() == 0
        on_each.wait_for_another(before)
        post(on_each, 1, "org.example.mark")
        live.until("org.example.mark")
        on_each.wait_until_logged()
    for _ in range(3):
        post(on_each, 800)
        post(on_each, 1, "org.example.mark")
        live.until("org.example.mark")
    on_each.wait_until_logged()
    first, last = live.state["sequence"] + 1, live.seen[-1]["sequence"]
    logged = {int(r["BELFRY_SEQUENCE"]) for r in on_each.notifications()}
    lost = {n for n in range(first, last + 1) if n not in logged}
    oldest = max(lost, default=first - 1) + 1
    if lost:
        assert refusal(on_each, first - 1) == oldest

    seen = replay(on_each, oldest - 1, last)

    assert live.is_consecutive()
    assert seen == live.seen[oldest - first :]


def test_new_counter_has_a_past_of_its_own(on_each):
    on_each.start()
    flood(on_each, MANY)
    on_each.host.systemctl("stop", SERVICE)
    on_each.host.path("/run/belfry/sequence").unlink()
    on_each.start()
    flood(on_each, MANY)

    seen = replay(on_each, 0, on_each.status()["sequence"])

    assert numbers(seen) == list(range(1, len(seen) + 1))
    assert [n["name"] for n in seen].count("willFinishLaunching") == 1
    assert seen[0]["name"] == "willFinishLaunching"


@pytest.mark.parametrize("interruption", [restart, crash])
def test_replay_continues_over_restarts(on_each, interruption):
    on_each.drop_in(RestartSec="10ms")
    on_each.start()
    first = on_each.status()["sequence"]
    flood(on_each, 3 * MANY)
    subscriber = on_each.subscribe(after=first)
    on_each.wait_until_stored(1 + 1)
    for _ in range(4):
        for _ in range(500):
            subscriber.next()
        on_each.host.systemctl("reset-failed")
        before = on_each.main_pid()
        assert interruption(on_each).wait() == 0
        on_each.wait_for_another(before)
    post(on_each, 1, "org.example.end")

    subscriber.until("org.example.end")

    assert numbers(subscriber.seen) == list(range(first + 1, first + 1 + len(subscriber.seen)))


@pytest.mark.nightly_on_trixie
def test_replay_of_a_hundred_thousand_records_does_not_block_the_loop(on_each, figures):
    on_each.start()
    first = on_each.status()["sequence"]
    flood(on_each, 100_000)
    bystander = Bystander(on_each)
    last = on_each.status()["sequence"]
    readers = [Subscriber(on_each.connect(), after=first) for _ in range(2)]
    # Asks for the past, and does not read it.
    sleeper = Subscriber(on_each.connect(), after=first)

    for number in range(first + 1, last + 1):
        for reader in readers:
            assert reader.next()["sequence"] == number
        if number % 5000 == 0:
            bystander.pulse(5)

    assert sleeper.next()["sequence"] == first + 1
    grown = bystander.figures(f"{last - first} records replayed to 2 of 3 clients", figures)
    # Most of it are the journal's own pages, which libsystemd maps.
    assert grown < 40 << 20
    # The threads that read are gone.
    on_each.wait_for(lambda: "Threads:\t1\n" in on_each.process("status"), "have one thread")
