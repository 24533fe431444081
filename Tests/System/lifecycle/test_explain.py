# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What a signal would do, before it comes."""

import json

from belfry_service import CONFIGURATION, SERVICE

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


def test_explanation_follows_the_state(on_each):
    on_each.start()
    assert [step["name"] for step in explain(on_each, "CONT")["steps"]] == ["didResume"]

    on_each.ctl("pause")

    assert [step["name"] for step in explain(on_each, "CONT")["steps"]] == ["willEnterForeground", "didBecomeActive"]
    assert [step["name"] for step in explain(on_each, "TERM")["steps"]] == ["willTerminate"]


def test_rehearsed_reload_names_what_would_be_refused(on_each):
    on_each.start()
    sequence = on_each.status()["sequence"]
    assert on_each.ctl("rehearse", "HUP").stdout.splitlines()[-1] == "It would succeed."
    on_each.configure("[Signals]\nUSR3=stop\n")

    done = on_each.ctl("rehearse", "HUP", check=False)

    assert done.returncode == 1
    assert f"{CONFIGURATION}:2:1: error: unknown signal 'USR3'" in done.stdout
    assert on_each.status()["sequence"] == sequence
    assert not any(r["BELFRY_NOTIFICATION"] == "willReload" for r in on_each.notifications())


def rehearsed(belfry, signal: str) -> dict:
    return json.loads(belfry.ctl("rehearse", signal, "--json", check=False).stdout)


def test_rehearsed_stop_asks_every_listener_that_has_something_to_do(on_each):
    on_each.start()

    reply = rehearsed(on_each, "TERM")

    assert reply["passed"]
    asked = {(step["name"], report["listener"], report["outcome"]) for step in reply["steps"] for report in step["reports"]}
    assert ("willTerminate", "serviceManager", "completed") in asked
    assert ("didEnterBackground", "restoration", "completed") in asked
    assert on_each.properties("ActiveState", "StatusText") == {"ActiveState": "active", "StatusText": "active"}


def test_rehearsed_flush_deletes_nothing_and_names_what_would_fail(on_each):
    caches = {"mine": "/var/cache/belfry/mine", "foreign": "/opt/belfry-foreign"}
    on_each.configure("".join(f"[Cache {name}]\nPath={path}\nFilesMax=0\n" for name, path in caches.items()))
    on_each.start()
    for path in caches.values():
        on_each.host.write(f"{path}/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n")
        on_each.host.write(f"{path}/old", "old")
    # Both belong to the service, and one of them is outside of its sandbox.
    on_each.host.run("chown", "-R", "belfry:", *caches.values())

    reply = rehearsed(on_each, "USR1")

    assert not reply["passed"]
    assert reply["reasons"] == [
        "cacheFlush: cache 'foreign': unable to delete in '/opt/belfry-foreign': Read-only file system (EROFS)"
    ]
    assert all(on_each.host.path(f"{path}/old").read_text() == "old" for path in caches.values())
    for path in caches.values():
        on_each.host.run("rm", "-r", path)
