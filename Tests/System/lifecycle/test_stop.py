# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl stop` and `systemctl restart`."""

import pytest
from belfry_service import SERVICE
from sequences import STOP


def test_stop_ends_the_service_in_order_and_with_success(started_on_each):
    subscriber = started_on_each.subscribe()

    started_on_each.host.systemctl("stop", SERVICE)

    seen = list(subscriber.to_the_end())
    assert [n["name"] for n in seen] == STOP
    assert {n["origin"]["signal"] for n in seen} == {"SIGTERM"}
    assert seen[-1]["state"] == "notRunning"
    assert started_on_each.properties("ActiveState", "Result", "ExecMainCode", "ExecMainStatus") == {
        "ActiveState": "inactive",
        "Result": "success",
        "ExecMainCode": "1",
        "ExecMainStatus": "0",
    }


def test_journal_keeps_the_order_of_a_stop(started_on_each):
    started_on_each.host.systemctl("stop", SERVICE)

    records = started_on_each.notifications()[-3:]
    assert [record["BELFRY_NOTIFICATION"] for record in records] == STOP
    assert [record["BELFRY_STATE"] for record in records] == ["inactive", "background", "notRunning"]
    assert [record["BELFRY_PREVIOUS_STATE"] for record in records] == ["active", "inactive", "background"]


def test_stop_of_a_paused_service_is_not_taken_for_a_continue(started_on_each):
    # systemd sends SIGCONT right after SIGTERM.
    subscriber = started_on_each.subscribe()
    started_on_each.kill("TSTP")
    subscriber.until("didEnterBackground")

    started_on_each.host.systemctl("stop", SERVICE)

    assert [n["name"] for n in subscriber.to_the_end()] == ["willTerminate"]
    assert started_on_each.properties("Result") == {"Result": "success"}


@pytest.mark.parametrize("stops_on_pause", ["no", "yes"])
def test_stop_signal_above_the_number_of_the_continue_that_follows_is_a_stop(on_each, stops_on_pause):
    on_each.drop_in(KillSignal="RTMIN+3")
    on_each.configure(f"[Signals]\nRTMIN+3=stop\n[Service]\nStopOnPause={stops_on_pause}\n")
    on_each.start()
    subscriber = on_each.subscribe()
    on_each.kill("TSTP")
    subscriber.until("didEnterBackground")
    if stops_on_pause == "yes":
        on_each.wait_until_stopped()

    on_each.host.systemctl("stop", SERVICE)

    seen = list(subscriber.to_the_end())
    assert [(n["name"], n["origin"]["signal"]) for n in seen] == [("willTerminate", "SIGRTMIN+3")]
    assert on_each.properties("Result") == {"Result": "success"}


def test_stop_of_a_stopped_process_is_clean_too(started_on_each):
    started_on_each.kill("STOP")

    started_on_each.host.systemctl("stop", SERVICE)

    assert started_on_each.properties("Result") == {"Result": "success"}
    assert [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()][-1] == "willTerminate"


@pytest.mark.parametrize("pending", range(3))
def test_restart_goes_on_with_the_sequence(started_on_each, pending):
    for _ in range(pending):
        started_on_each.kill("USR1")
    last = started_on_each.status()["sequence"]

    started_on_each.host.systemctl("restart", SERVICE)

    sequences = [int(record["BELFRY_SEQUENCE"]) for record in started_on_each.notifications()]
    assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
    assert started_on_each.status()["sequence"] == sequences[-1] > last
