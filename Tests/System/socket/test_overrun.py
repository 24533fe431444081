# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A subscriber that does not read in time gets the number of missed notifications, and what memory has if it asks."""

import pytest
from interruptions import post
from varlink_client import VarlinkError, are_consecutive

OVERRUNS = "io.belfry.Lifecycle.OverrunsTotal"
# The ring holds at least so many.
RETAINED = 512
TICK = "org.example.tick"


def overruns(client) -> int:
    return next(m["value"] for m in client.collect("io.systemd.Metrics.List") if m["name"] == OVERRUNS)


def test_slow_subscriber_gets_an_overrun_with_its_count_and_can_ask_for_what_is_retained(on_each):
    on_each.configure(f"[Socket]\nReplayMax={RETAINED}\n")
    on_each.start()
    sleeper = on_each.subscribe()
    with on_each.connect() as client:
        while overruns(client) == 0:
            last = client.call("Post", {"name": TICK, "userInfo": {"filler": "x" * 2000}})["sequence"]
    # The notifications that it missed.
    post(on_each, 200)
    post(on_each, 1, "org.example.end")

    with pytest.raises(VarlinkError) as overrun:
        while True:
            sleeper.next()

    assert overrun.value.name == "io.belfry.Lifecycle.Overrun"
    assert sleeper.is_consecutive()
    seen = sleeper.seen[-1]["sequence"]
    dropped = overrun.value.parameters["dropped"]
    assert seen + dropped == last and dropped >= RETAINED
    with on_each.connect() as client, pytest.raises(VarlinkError) as refused:
        client.send("Subscribe", {"after": seen}, more=True)
        client.reply()
    oldest = refused.value.parameters["oldest"]
    again = on_each.subscribe(after=oldest - 1)
    again.until("org.example.end")
    assert again.seen[0]["sequence"] == oldest and are_consecutive(again.seen)
    assert len(again.seen) == RETAINED
