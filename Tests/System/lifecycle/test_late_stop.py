# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A stop during another transition ends in order, within the time of the unit."""

from belfry_service import SERVICE, BelfryService
from sequences import STOP
from varlink_client import Subscriber, VarlinkClient

def reload_that_hangs(belfry: BelfryService, listener: VarlinkClient) -> Subscriber:
    """Attaches a listener that never answers; returns a subscriber that has seen the reload that waits for it."""
    listener.attach("silent", "willReload")
    subscriber = belfry.subscribe()
    belfry.kill("HUP")
    assert listener.reply()["notification"]["name"] == "willReload"
    return subscriber


def exit_record_of_the_previous_run(belfry: BelfryService) -> dict:
    belfry.wait_until_inactive()
    belfry.host.systemctl("reset-failed")
    belfry.start()
    return belfry.status()["lastWord"]


def test_reload_that_hangs_is_cut_by_a_stop_and_its_listener_named(on_each):
    on_each.drop_in(TimeoutStopSec="5s")
    on_each.start()
    with on_each.connect() as listener:
        subscriber = reload_that_hangs(on_each, listener)

        on_each.host.systemctl("stop", SERVICE)

    seen = list(subscriber.to_the_end())
    assert [n["name"] for n in seen] == ["willReload", "didFailToReload", *STOP]
    # Half of 4.5 s, and the rest of the other half, counted from the signal and not from the end of the reload. The
    # loop's stamps may be a tick of the kernel's clock behind.
    tick = 10_000
    assert 0 < seen[-1]["userInfo"]["deadlineUsec"] <= 2_250_000 + tick
    assert on_each.property("Result") == "success"
    [record] = [r for r in on_each.journal() if r.get("BELFRY_LISTENER") == "silent" and "BELFRY_OUTCOME" in r]
    assert (record["BELFRY_NOTIFICATION"], record["BELFRY_OUTCOME"]) == ("willReload", "overran")
    record = exit_record_of_the_previous_run(on_each)
    assert (record["kind"], record["reason"], record["origin"]["signal"]) == ("stopped", "stop", "SIGTERM")
