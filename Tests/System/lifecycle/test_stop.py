# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl stop` and `systemctl restart`."""

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


def test_stop_of_a_paused_service_is_not_taken_for_a_continue(started_on_each):
    # systemd sends SIGCONT right after SIGTERM.
    subscriber = started_on_each.subscribe()
    started_on_each.kill("TSTP")
    subscriber.until("didEnterBackground")

    started_on_each.host.systemctl("stop", SERVICE)

    assert [n["name"] for n in subscriber.to_the_end()] == ["willTerminate"]
    assert started_on_each.properties("Result") == {"Result": "success"}


def test_stop_of_a_stopped_process_is_clean_too(started_on_each):
    started_on_each.kill("STOP")

    started_on_each.host.systemctl("stop", SERVICE)

    assert started_on_each.properties("Result") == {"Result": "success"}
    assert [r["BELFRY_NOTIFICATION"] for r in started_on_each.notifications()][-1] == "willTerminate"
