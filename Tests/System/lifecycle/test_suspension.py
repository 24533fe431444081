# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""SIGCONT after SIGSTOP: the kernel does not say whether the process was stopped."""

RESUMED = "didResume, SIGCONT from pid 1 (systemd), uid 0, init.scope, continued by a signal"


def test_return_from_a_stop_has_its_cause_and_its_sender(waiting):
    subscriber = waiting.subscribe()

    waiting.kill("STOP")
    waiting.wait_until_stopped()
    waiting.kill("CONT")

    sender = {"pid": 1, "uid": 0, "unit": "init.scope", "command": "systemd"}
    resumed = subscriber.next()
    assert (resumed["name"], resumed["userInfo"]) == ("didResume", {"cause": "signal"})
    assert resumed["origin"] == {"kind": "signal", "signal": "SIGCONT", "value": 0, **sender}
    record = waiting.notifications()[-1]
    assert record["BELFRY_SIGNAL"] == "SIGCONT"
    assert {name: record[f"BELFRY_SENDER_{name.upper()}"] for name in sender} == {k: str(v) for k, v in sender.items()}
    # Without a former state, which nobody knows.
    assert record["MESSAGE"] == RESUMED
    assert waiting.status()["state"] == "active"


def test_continue_of_a_service_that_nobody_has_stopped_names_no_suspension(waiting):
    waiting.kill("CONT")

    waiting.wait_for(lambda: RESUMED in waiting.messages(), "log the signal")
    assert waiting.status()["state"] == "active"


def test_reload_by_a_signal_of_systemd_ends_no_pause(belfry_on_trixie):
    """With Type=notify-reload systemd sends SIGCONT right after the reload signal."""
    belfry_on_trixie.use_notify_reload()
    belfry_on_trixie.start()
    belfry_on_trixie.ctl("pause")
    for _ in range(3):
        belfry_on_trixie.host.systemctl("reload", belfry_on_trixie.name)
    belfry_on_trixie.ctl("post", "com.example.after", "--wait")
    belfry_on_trixie.wait_until_logged()
    names = [record["BELFRY_NOTIFICATION"] for record in belfry_on_trixie.notifications()]
    assert names[-7:] == ["willReload", "didReload"] * 3 + ["com.example.after"]
    assert belfry_on_trixie.status()["state"] == "background"
