# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The last word: who ended or paused the service, kept for the next launch and shown by `belfryctl status`."""

import time

import pytest
from belfry_service import SERVICE
from sequences import STOP

RECORD = "/var/lib/belfry/last-word"


def said(belfry) -> dict:
    return belfry.status()["lastWord"]


def next_start(belfry) -> dict:
    """Starts the ended service again, and returns the word of the run before."""
    belfry.wait_until_inactive()
    belfry.host.systemctl("reset-failed")
    belfry.start()
    options = belfry.status()["launch"]
    assert said(belfry) == options["previousRun"]["lastWord"]
    return said(belfry)


def test_stop_by_systemd_names_it_and_the_time_of_every_listener(started_on_each):
    belfry = started_on_each
    concerned = {
        listener["name"]
        for listener in belfry.listeners()
        if set(STOP) & set(listener["interests"])
    }
    before = time.time()
    belfry.host.systemctl("stop", SERVICE)

    word = next_start(belfry)

    assert (word["kind"], word["exitStatus"]) == ("stopped", 0)
    assert word["reason"] == "stop"
    origin = word["origin"]
    assert (origin["signal"], origin["pid"], origin["uid"]) == ("SIGTERM", 1, 0)
    assert (origin["unit"], origin["command"]) == ("init.scope", "systemd")
    assert {listener["listener"] for listener in word["listeners"]} == concerned
    assert all(listener["durationUsec"] >= 0 for listener in word["listeners"])
    assert before - 1 < word["realtimeUsec"] / 1e6 < time.time() + 1
    status = belfry.ctl("status").stdout
    assert "Last word: stopped " in status
    assert "by SIGTERM from pid 1 systemd (root) init.scope, reason stop, exit status 0" in status


def test_continue_that_systemd_sends_after_the_stop_changes_nothing(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.host.systemctl("stop", SERVICE)
    seen = list(subscriber.to_the_end())

    word = next_start(started_on_each)

    assert [n["name"] for n in seen] == STOP
    assert {n["origin"]["signal"] for n in seen} == {"SIGTERM"}
    assert word["origin"]["signal"] == "SIGTERM" and "cutShortBy" not in word


def test_somebody_elses_kill_is_named_with_command_and_unit(started_on_each):
    belfry = started_on_each
    script = f"kill -TERM {belfry.main_pid()}; exec sleep 2"
    belfry.host.run("systemd-run", "--quiet", "--collect", "--unit=belfry-killer", "sh", "-c", script)

    word = next_start(belfry)

    assert (word["kind"], word["reason"]) == ("stopped", "signal")
    assert word["origin"]["unit"] == "belfry-killer.service"
    assert word["origin"]["command"] in ("sh", "sleep")
    assert word["origin"]["pid"] > 1 and word["origin"]["uid"] == 0


def test_immediate_stop_leaves_its_word_too(started_on_each):
    started_on_each.kill("QUIT")

    word = next_start(started_on_each)

    assert (word["kind"], word["reason"], word["exitStatus"]) == ("stopped", "signal", 131)
    assert word["origin"]["signal"] == "SIGQUIT"


def test_pause_is_the_last_word_until_it_ends(started_on_each):
    belfry = started_on_each
    before = belfry.status().get("lastWord")
    subscriber = belfry.subscribe()

    belfry.kill("TSTP")
    subscriber.until("didEnterBackground")
    word = said(belfry)
    assert "Last word: paused " in belfry.ctl("status").stdout
    belfry.kill("CONT")
    subscriber.until("didBecomeActive")

    assert (word["kind"], word["origin"]["signal"], word["origin"]["command"]) == ("paused", "SIGTSTP", "systemd")
    assert belfry.status().get("lastWord") == before


def test_client_that_paused_is_named(started_on_each):
    started_on_each.ctl("pause")

    word = said(started_on_each)

    assert (word["kind"], word["origin"]["kind"], word["origin"]["uid"]) == ("paused", "socket", 0)


def test_crash_during_a_pause_leaves_the_word_of_the_pause(started_on_each):
    belfry = started_on_each
    subscriber = belfry.subscribe()
    belfry.kill("TSTP")
    subscriber.until("didEnterBackground")
    pid = belfry.main_pid()

    belfry.kill("KILL")
    belfry.wait_for_another(pid)

    assert belfry.status()["launch"]["cause"] == "crash"
    assert said(belfry)["kind"] == "paused"


@pytest.mark.parametrize("content", ["", "{", '{"version":1,"bootId":"b"}', "\0" * 4096])
def test_broken_record_is_refused_with_its_reason_and_ignored(on_each, content):
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


def test_record_is_complete_whenever_the_service_is_killed(started_on_each):
    belfry = started_on_each
    for _ in range(10):
        pid = belfry.main_pid()
        belfry.host.run("sh", "-c", f"kill -TSTP {pid}; kill -CONT {pid}; kill -TERM {pid}; kill -KILL {pid} || true")
        # Killed, it is started again; ended in order before that, it is not.
        belfry.wait_for(lambda: belfry.main_pid() != pid, "end")
        belfry.host.systemctl("reset-failed")
        belfry.start()
        assert "cause" in belfry.status()["launch"]

    assert not any("unable to use" in message for message in belfry.messages())
