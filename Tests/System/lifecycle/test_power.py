# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGPWR, as sent for an uninterruptible power supply, and SIGQUIT, which exits at once."""


def test_pwr_posts_power_failing_and_stops_nothing(started_on_each):
    subscriber = started_on_each.subscribe()

    started_on_each.kill("PWR")

    failing = subscriber.next()
    assert (failing["name"], failing["state"]) == ("powerFailing", "active")
    assert failing["origin"]["signal"] == "SIGPWR"
    assert started_on_each.status()["state"] == "active"
    assert started_on_each.notifications()[-1]["BELFRY_NOTIFICATION"] == "powerFailing"


def test_quit_logs_the_status_of_every_listener_and_exits_at_once(started_on_each):
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
