# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A subscriber that does not read in time gets the number of missed notifications, and gets them all if it asks."""

import pytest
from interruptions import post
from varlink_client import VarlinkError, are_consecutive

OVERRUNS = "io.belfry.Lifecycle.OverrunsTotal"
QUEUE = 100


def overruns(client) -> int:
    return next(m["value"] for m in client.collect("io.systemd.Metrics.List") if m["name"] == OVERRUNS)


def test_slow_subscriber_gets_an_overrun_with_its_count_and_can_ask_for_the_rest(on_each):
    on_each.configure(f"[Socket]\nQueueMax={QUEUE}\n")
    on_each.start()
    sleeper = on_each.subscribe()
    with on_each.connect() as client:
        while overruns(client) == 0:
            last = client.call("Post", {"name": "org.example.tick", "userInfo": {"filler": "x" * 2000}})["sequence"]
    # The notifications that it missed.
    post(on_each, 200)
    post(on_each, 1, "org.example.end")

    with pytest.raises(VarlinkError) as overrun:
        while True:
            sleeper.next()

    assert overrun.value.name == "io.belfry.Lifecycle.Overrun"
    assert sleeper.is_consecutive()
    seen = sleeper.seen[-1]["sequence"]
    assert seen + overrun.value.parameters["dropped"] == last
    again = on_each.subscribe(after=seen)
    again.until("org.example.end")
    assert again.seen[0]["sequence"] == seen + 1 and are_consecutive(again.seen)
    assert len(again.seen) >= QUEUE + 200
