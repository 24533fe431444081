# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The exit record: who ended or paused the service, stored for the next launch and shown by `belfryctl status`."""

import time

import pytest
from belfry_service import SERVICE
from sequences import STOP

RECORD = "/var/lib/belfry/last-word"


def exit_record(belfry) -> dict:
    return belfry.status()["lastWord"]


def next_start(belfry) -> dict:
    """Starts the ended service again, and returns the exit record of the previous run."""
    belfry.wait_until_inactive()
    belfry.host.systemctl("reset-failed")
    belfry.start()
    options = belfry.status()["launch"]
    assert exit_record(belfry) == options["previousRun"]["lastWord"]
    return exit_record(belfry)


def test_stop_by_systemd_has_its_origin_and_the_time_of_every_listener(started_on_each):
    belfry = started_on_each
    expected = {
        listener["name"]
        for listener in belfry.listeners()
        if set(STOP) & set(listener["interests"])
    }
    before = time.time()
    belfry.host.systemctl("stop", SERVICE)

    record = next_start(belfry)

    assert (record["kind"], record["exitStatus"]) == ("stopped", 0)
    assert record["reason"] == "stop"
    origin = record["origin"]
    assert (origin["signal"], origin["pid"], origin["uid"]) == ("SIGTERM", 1, 0)
    assert (origin["unit"], origin["command"]) == ("init.scope", "systemd")
    assert {listener["listener"] for listener in record["listeners"]} == expected
    assert all(listener["durationUsec"] >= 0 for listener in record["listeners"])
    assert before - 1 < record["realtimeUsec"] / 1e6 < time.time() + 1
    status = belfry.ctl("status").stdout
    assert "Last word: stopped " in status
    assert "by SIGTERM from pid 1 systemd (root) init.scope, reason stop, exit status 0" in status


def test_continue_that_systemd_sends_after_the_stop_changes_nothing(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.host.systemctl("stop", SERVICE)
    seen = list(subscriber.to_the_end())

    record = next_start(started_on_each)

    assert [n["name"] for n in seen] == STOP
    assert {n["origin"]["signal"] for n in seen} == {"SIGTERM"}
    assert record["origin"]["signal"] == "SIGTERM" and "cutShortBy" not in record


def test_kill_by_another_process_has_its_command_and_unit(started_on_each):
    belfry = started_on_each
    script = f"kill -TERM {belfry.main_pid()}; exec sleep 2"
    belfry.host.run("systemd-run", "--quiet", "--collect", "--unit=belfry-killer", "sh", "-c", script)

    record = next_start(belfry)

    assert (record["kind"], record["reason"]) == ("stopped", "signal")
    assert record["origin"]["unit"] == "belfry-killer.service"
    assert record["origin"]["command"] in ("sh", "sleep")
    assert record["origin"]["pid"] > 1 and record["origin"]["uid"] == 0


def test_immediate_stop_leaves_an_exit_record(started_on_each):
    started_on_each.kill("QUIT")

    record = next_start(started_on_each)

    assert (record["kind"], record["reason"], record["exitStatus"]) == ("stopped", "signal", 131)
    assert record["origin"]["signal"] == "SIGQUIT"


def test_pause_is_the_exit_record_until_it_ends(started_on_each):
    belfry = started_on_each
    before = belfry.status().get("lastWord")
    subscriber = belfry.subscribe()

    belfry.kill("TSTP")
    subscriber.until("didEnterBackground")
    record = exit_record(belfry)
    assert "Last word: paused " in belfry.ctl("status").stdout
    belfry.kill("CONT")
    subscriber.until("didBecomeActive")

    assert (record["kind"], record["origin"]["signal"], record["origin"]["command"]) == ("paused", "SIGTSTP", "systemd")
    assert belfry.status().get("lastWord") == before


def test_client_that_paused_is_named(started_on_each):
    started_on_each.ctl("pause")

    record = exit_record(started_on_each)

    assert (record["kind"], record["origin"]["kind"], record["origin"]["uid"]) == ("paused", "socket", 0)


def test_crash_during_a_pause_leaves_the_exit_record_of_the_pause(started_on_each):
    belfry = started_on_each
    subscriber = belfry.subscribe()
    belfry.kill("TSTP")
    subscriber.until("didEnterBackground")
    pid = belfry.main_pid()

    belfry.kill("KILL")
    belfry.wait_for_another(pid)

    assert belfry.status()["launch"]["cause"] == "crash"
    assert exit_record(belfry)["kind"] == "paused"


@pytest.mark.parametrize("content", ["", "{", '{"version":1,"bootId":"b"}', "\0" * 4096])
def test_invalid_record_is_reported_and_ignored(on_each, content):
    on_each.start()
    on_each.host.systemctl("stop", SERVICE)
    on_each.host.path(RECORD).write_text(content)

    on_each.start()

    state = on_each.status()
    assert state["state"] == "active"
    assert "lastWord" not in state and "cause" not in state["launch"]
    refused = [message for message in on_each.messages() if message.startswith(f"unable to use '{RECORD}': ")]
    assert len(refused) == 1 and refused[0].endswith(", ignoring")
    assert on_each.host.path(f"{RECORD}.refused").read_text() == content


def test_record_is_complete_after_a_kill_at_any_time(started_on_each):
    belfry = started_on_each
    for _ in range(10):
        pid = belfry.main_pid()
        belfry.host.run("sh", "-c", f"kill -TSTP {pid}; kill -CONT {pid}; kill -TERM {pid}; kill -KILL {pid} || true")
        # systemd restarts a killed service, but not one that had already stopped in order.
        belfry.wait_for(lambda: belfry.main_pid() != pid, "end")
        belfry.host.systemctl("reset-failed")
        belfry.start()
        assert "cause" in belfry.status()["launch"]

    assert not any("unable to use" in message for message in belfry.messages())
