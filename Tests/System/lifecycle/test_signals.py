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


def test_signal_requests_the_action_that_is_mapped_to_it(on_each):
    on_each.configure("[Signals]\nUSR1=performAction:rotate\n")
    on_each.start()
    with on_each.connect() as program:
        action = {"id": "rotate", "title": "Begin a new volume"}
        program.send("Attach", {"listener": "archive", "names": [], "actions": [action], "confirm": True}, more=True)
        program.reply()

        on_each.kill("USR1")

        request = program.reply()["notification"]
    assert (request["name"], request["userInfo"]) == ("performAction", {"action": "rotate"})
    assert_sent_by_systemd(request, "SIGUSR1")
    on_each.kill("USR1")
    unheard = "performAction, SIGUSR1 from pid 1 (systemd), uid 0, init.scope, rotate, which no listener offers"
    on_each.wait_for(lambda: unheard in on_each.messages(), "say that nobody offers the action")


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


def test_quit_logs_the_status_of_every_listener_exits_at_once_and_is_recorded(started_on_each):
    belfry = started_on_each
    listeners = {listener["name"] for listener in belfry.listeners()}
    subscriber = belfry.subscribe()

    belfry.kill("QUIT")

    assert [n["name"] for n in subscriber.to_the_end()] == ["statusRequested"]
    belfry.wait_until_inactive()
    assert belfry.properties("ExecMainCode", "ExecMainStatus", "NRestarts") == {
        "ExecMainCode": "1",
        "ExecMainStatus": "131",
        "NRestarts": "0",
    }
    dumped = {r["BELFRY_LISTENER"] for r in belfry.journal() if "BELFRY_CALLS" in r}
    assert dumped == listeners and "serviceManager" in listeners
    assert any("stopped at once by SIGQUIT" in message for message in belfry.messages())
    assert "willTerminate" not in [r["BELFRY_NOTIFICATION"] for r in belfry.notifications()]
    belfry.host.systemctl("reset-failed")
    belfry.start()
    status = belfry.status()
    assert status["launch"]["cause"] == "failure"
    assert status["launch"]["previousRun"]["exit"] == {"result": "exit-code", "code": "exited", "status": "131"}
    record = status["lastWord"]
    assert (record["kind"], record["reason"], record["origin"]["signal"]) == ("stopped", "signal", "SIGQUIT")
