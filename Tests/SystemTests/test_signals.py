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


def test_tstp_pauses_and_cont_continues(started):
    subscriber = started.subscribe()

    started.kill("TSTP")
    paused = subscriber.until("didEnterBackground")
    assert started.status()["state"] == "background"
    started.kill("CONT")
    continued = subscriber.until("didBecomeActive")
    assert started.status()["state"] == "active"

    assert names(paused) == PAUSE and names(continued) == CONTINUE
    for notification in paused:
        assert_sent_by_systemd(notification, "SIGTSTP")
    for notification in continued:
        assert_sent_by_systemd(notification, "SIGCONT")


def test_states_of_a_pause_lead_from_one_to_the_next(started):
    subscriber = started.subscribe()
    started.kill("TSTP")
    seen = subscriber.until("didEnterBackground")
    started.kill("CONT")
    seen += subscriber.until("didBecomeActive")

    steps = [(n["previousState"], n["state"]) for n in seen]
    assert steps == [
        ("active", "inactive"),
        ("inactive", "background"),
        ("background", "inactive"),
        ("inactive", "active"),
    ]


def test_journal_names_the_sender_of_a_pause(started):
    subscriber = started.subscribe()
    started.kill("TSTP")
    subscriber.until("didEnterBackground")

    records = started.notifications()[-2:]
    assert [record["BELFRY_NOTIFICATION"] for record in records] == PAUSE
    for record in records:
        assert record["BELFRY_SIGNAL"] == "SIGTSTP"
        assert record["BELFRY_SENDER_PID"] == "1"
        assert record["BELFRY_SENDER_UID"] == "0"
        assert record["BELFRY_SENDER_UNIT"] == "init.scope"


def test_sender_with_another_user_is_told_apart(started):
    subscriber = started.subscribe()
    as_belfry = ["setpriv", "--reuid=belfry", "--regid=belfry", "--clear-groups"]
    started.host.run(*as_belfry, "sh", "-c", "kill -USR1 $0", str(started.main_pid()))
    origin = subscriber.until("flushRequested")[-1]["origin"]

    uid = int(started.host.run("id", "-u", "belfry").stdout)
    assert uid != 0
    assert (origin["signal"], origin["uid"]) == ("SIGUSR1", uid)
    assert origin["pid"] > 1


@pytest.mark.parametrize(
    "signal, name", [("USR1", "flushRequested"), ("USR2", "statusRequested"), ("PWR", "powerFailing")]
)
def test_signal_posts_its_notification_and_changes_no_state(started, signal, name):
    subscriber = started.subscribe()
    started.kill(signal)

    notification = subscriber.next()
    assert notification["name"] == name
    assert notification["state"] == "active"
    assert_sent_by_systemd(notification, f"SIG{signal}")
    assert started.status()["state"] == "active"


@pytest.mark.parametrize("signal", ["TERM", "INT"])
def test_signal_stops_the_service_in_order(started, signal):
    subscriber = started.subscribe()
    started.kill(signal)

    assert names(list(subscriber.to_the_end())) == STOP
    started.wait_until_inactive()
    assert started.properties("Result", "ExecMainStatus", "ExecMainCode") == {
        "Result": "success",
        "ExecMainStatus": "0",
        "ExecMainCode": "1",
    }
    # Nobody's job: a clean end by signal is not restarted.
    assert started.properties("NRestarts") == {"NRestarts": "0"}


def test_stop_from_the_background_only_terminates(started):
    subscriber = started.subscribe()
    started.kill("TSTP")
    subscriber.until("didEnterBackground")
    started.kill("TERM")

    assert names(list(subscriber.to_the_end())) == ["willTerminate"]


def test_quit_ends_the_service_at_once(started):
    subscriber = started.subscribe()
    started.kill("QUIT")

    assert names(list(subscriber.to_the_end())) == ["statusRequested"]
    started.wait_until_inactive()
    assert started.properties("ExecMainCode", "ExecMainStatus") == {"ExecMainCode": "1", "ExecMainStatus": "131"}


def test_continue_without_a_pause_before_it_is_none(started):
    subscriber = started.subscribe()
    started.kill("CONT")
    started.kill("USR1")

    assert names(subscriber.until("flushRequested")) == ["flushRequested"]
