# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What a signal would do, before it comes."""

import json

SECOND = 1_000_000


def explain(belfry, signal: str) -> dict:
    return json.loads(belfry.ctl("explain", signal, "--json").stdout)


def knows_the_unit(belfry) -> bool:
    return "unitTimeoutUsec" in explain(belfry, "TERM")


def test_explained_stop_is_compared_with_the_timeout_of_the_unit(on_each):
    on_each.drop_in(TimeoutStopSec="40s")
    on_each.start()
    on_each.wait_for(lambda: knows_the_unit(on_each), "ask systemd for its times")

    reply = explain(on_each, "TERM")

    assert (reply["signal"], reply["number"], reply["action"]) == ("SIGTERM", 15, "stop")
    assert [step["name"] for step in reply["steps"]] == ["willResignActive", "didEnterBackground", "willTerminate"]
    assert reply["unitSetting"] == "TimeoutStopSec"
    assert reply["unitTimeoutUsec"] == 40 * SECOND
    assert reply["limitUsec"] == 36 * SECOND
    assert reply["fits"]
    assert on_each.ctl("explain", "TERM").stdout.splitlines()[-1].endswith("36 s of TimeoutStopSec=40 s: it fits.")


def test_explanation_follows_the_unit_without_a_reload_of_the_service(on_each):
    on_each.drop_in(TimeoutStopSec="40s")
    on_each.start()
    on_each.wait_for(lambda: knows_the_unit(on_each), "ask systemd for its times")

    on_each.drop_in(TimeoutStopSec="infinity", TimeoutStartSec="20s")

    reply = explain(on_each, "TERM")
    assert "unitTimeoutUsec" not in reply
    assert reply["unitSetting"] == "TimeoutStopSec"
    assert explain(on_each, "HUP")["unitTimeoutUsec"] == 20 * SECOND
