# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Signals sent with `systemctl kill`, and what the socket, `belfryctl` and the journal say about them."""

import pytest
from sequences import CONTINUE, PAUSE, STOP


def names(notifications: list[dict]) -> list[str]:
    return [notification["name"] for notification in notifications]


def assert_sent_by_systemd(notification: dict, signal: str) -> None:
    origin = notification["origin"]
    assert (origin["kind"], origin["signal"], origin["pid"], origin["uid"]) == ("signal", signal, 1, 0)


def test_tstp_pauses_and_cont_continues(started_on_each):
    subscriber = started_on_each.subscribe()

    started_on_each.kill("TSTP")
    paused = subscriber.until("didEnterBackground")
    assert started_on_each.status()["state"] == "background"
    started_on_each.kill("CONT")
    continued = subscriber.until("didBecomeActive")
    assert started_on_each.status()["state"] == "active"

    assert names(paused) == PAUSE and names(continued) == CONTINUE
    for notification in paused:
        assert_sent_by_systemd(notification, "SIGTSTP")
    for notification in continued:
        assert_sent_by_systemd(notification, "SIGCONT")


def test_states_of_a_pause_lead_from_one_to_the_next(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.kill("TSTP")
    seen = subscriber.until("didEnterBackground")
    started_on_each.kill("CONT")
    seen += subscriber.until("didBecomeActive")

    steps = [(n["previousState"], n["state"]) for n in seen]
    assert steps == [
        ("active", "inactive"),
        ("inactive", "background"),
        ("background", "inactive"),
        ("inactive", "active"),
    ]


def test_journal_names_the_sender_of_a_pause(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.kill("TSTP")
    subscriber.until("didEnterBackground")

    records = started_on_each.notifications()[-2:]
    assert [record["BELFRY_NOTIFICATION"] for record in records] == PAUSE
    for record in records:
        assert record["BELFRY_SIGNAL"] == "SIGTSTP"
        assert record["BELFRY_SENDER_PID"] == "1"
        assert record["BELFRY_SENDER_UID"] == "0"
        assert record["BELFRY_SENDER_UNIT"] == "init.scope"


def test_sender_of_another_user_is_identified(started_on_each):
    subscriber = started_on_each.subscribe()
    as_belfry = ["setpriv", "--reuid=belfry", "--regid=belfry", "--clear-groups"]
    started_on_each.host.run(*as_belfry, "sh", "-c", "kill -USR1 $0", str(started_on_each.main_pid()))
    origin = subscriber.until("flushRequested")[-1]["origin"]

    uid = int(started_on_each.host.run("id", "-u", "belfry").stdout)
    assert uid != 0
    assert (origin["signal"], origin["uid"]) == ("SIGUSR1", uid)
    assert origin["pid"] > 1


@pytest.mark.parametrize(
    "signal, name", [("USR1", "flushRequested"), ("USR2", "statusRequested"), ("PWR", "powerFailing")]
)
def test_signal_posts_its_notification_and_changes_no_state(started_on_each, signal, name):
    subscriber = started_on_each.subscribe()
    started_on_each.kill(signal)

    notification = subscriber.next()
    assert notification["name"] == name
    assert notification["state"] == "active"
    assert_sent_by_systemd(notification, f"SIG{signal}")
    assert started_on_each.status()["state"] == "active"


@pytest.mark.parametrize("signal", ["TERM", "INT"])
def test_signal_stops_the_service_in_order(started_on_each, signal):
    subscriber = started_on_each.subscribe()
    started_on_each.kill(signal)

    assert names(list(subscriber.to_the_end())) == STOP
    started_on_each.wait_until_inactive()
    assert started_on_each.properties("Result", "ExecMainStatus", "ExecMainCode") == {
        "Result": "success",
        "ExecMainStatus": "0",
        "ExecMainCode": "1",
    }
    # No job of systemd: a clean exit after a signal is not restarted.
    assert started_on_each.properties("NRestarts") == {"NRestarts": "0"}


def test_stop_from_the_background_only_terminates(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.kill("TSTP")
    subscriber.until("didEnterBackground")
    started_on_each.kill("TERM")

    assert names(list(subscriber.to_the_end())) == ["willTerminate"]


def test_quit_ends_the_service_at_once(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.kill("QUIT")

    assert names(list(subscriber.to_the_end())) == ["statusRequested"]
    started_on_each.wait_until_inactive()
    assert started_on_each.properties("ExecMainCode", "ExecMainStatus") == {"ExecMainCode": "1", "ExecMainStatus": "131"}


def test_continue_without_a_pause_before_it_is_reported_with_its_cause(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.kill("CONT")

    resumed = subscriber.next()

    assert (resumed["name"], resumed["previousState"], resumed["state"]) == ("didResume", "suspended", "active")
    assert resumed["userInfo"] == {"cause": "signal"}
