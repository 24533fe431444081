# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl reload` succeeds only if the new configuration is in effect."""

import pytest
from belfry_service import CONFIGURATION, DOORBELL, SERVICE
from login_double import BOTH, wait_for_locks
from sequences import CONTINUE, PAUSE

BROKEN = "[Signals]\nUSR1=org.example.lantern\nUSR3=org.example.lantern\n"


def ring(on_each) -> None:
    on_each.kill("RTMIN+5")


def test_reload_applies_the_new_configuration(started_on_each):
    subscriber = started_on_each.subscribe()
    started_on_each.configure(DOORBELL)

    started_on_each.host.systemctl("reload", SERVICE)

    assert [n["name"] for n in subscriber.until("didReload")] == ["willReload", "didReload"]
    ring(started_on_each)
    assert subscriber.next()["name"] == "org.example.doorbell"
    assert started_on_each.properties("ActiveState", "SubState") == {"ActiveState": "active", "SubState": "running"}


def test_dry_run_checks_and_changes_nothing(started_on_each):
    subscriber = started_on_each.subscribe()
    with started_on_each.connect() as listener, started_on_each.connect() as client:
        listener.attach("slow", "willReload")
        client.send("Reload", {"dryRun": True})
        token = listener.reply()["token"]
        assert started_on_each.properties("ActiveState", "StatusText") == {"ActiveState": "active", "StatusText": "active"}
        with started_on_each.connect() as program:
            program.call("Answer", {"token": token, "outcome": "completed"})
        reports = client.reply()["reports"]
    assert ("slow", "completed") in {(report["listener"], report["outcome"]) for report in reports}
    started_on_each.configure(BROKEN)

    done = started_on_each.ctl("reload", "--dry-run", check=False)

    assert done.returncode == 78
    assert f"{CONFIGURATION}:3:1: error: unknown signal 'USR3'" in done.stderr
    assert [record["MESSAGE"] for record in started_on_each.journal() if int(record["PRIORITY"]) < 5] == []
    started_on_each.ctl("post", "org.example.mark")
    names = [n["name"] for n in subscriber.until("org.example.mark")]
    assert names == ["willReload", "willReload", "org.example.mark"]
    assert started_on_each.property("StatusText") == "active"


@pytest.mark.parametrize("broken", [BROKEN, "[Signals\n", "[Servce]\nNice=yes\n", "[Signals]\nUSR1=\x01\n"])
def test_broken_configuration_fails_the_reload_and_changes_nothing(on_each, broken):
    on_each.configure(DOORBELL)
    on_each.start()
    subscriber = on_each.subscribe()
    on_each.configure(broken)

    done = on_each.host.systemctl("reload", SERVICE, check=False)

    assert done.returncode != 0
    assert [n["name"] for n in subscriber.until("didFailToReload")][-1] == "didFailToReload"
    assert any(message.startswith(f"{CONFIGURATION}:") for message in on_each.messages())
    ring(on_each)
    assert subscriber.next()["name"] == "org.example.doorbell"
    on_each.kill("USR1")
    assert subscriber.next()["name"] == "flushRequested"
    assert on_each.status()["state"] == "active"


def test_a_reload_that_a_listener_does_not_apply_is_no_refusal(started_on_each):
    with started_on_each.connect() as listener:
        attach = {"listener": "slow", "names": ["didReload"], "deadlineUsec": 1_000_000, "confirm": True}
        listener.send("Attach", attach, more=True)
        listener.reply()
        done = started_on_each.ctl("reload", check=False)
        assert done.returncode == 1
        late, kept = done.stderr.splitlines()
        assert late.startswith("listener 'slow' gave no answer to didReload after 1")
        assert kept.startswith("the service keeps its old configuration; ")
        applied = "active, new configuration not applied by all"
        assert started_on_each.property("StatusText").startswith(applied)
        assert started_on_each.host.systemctl("reload", SERVICE, check=False).returncode != 0
    assert any("not every listener has applied the new one" in message for message in started_on_each.messages())


def start_with_notify_reload(belfry) -> None:
    """Starts the service, and waits until it has its locks, so that it can ask systemd over the bus."""
    belfry.use_notify_reload()
    belfry.start()
    wait_for_locks(belfry, BOTH)


def test_newer_systemd_reloads_with_the_signal_and_waits(belfry_on_trixie):
    start_with_notify_reload(belfry_on_trixie)
    subscriber = belfry_on_trixie.subscribe()
    belfry_on_trixie.configure(DOORBELL)

    belfry_on_trixie.host.systemctl("reload", SERVICE)

    assert belfry_on_trixie.properties("SubState") == {"SubState": "running"}
    ring(belfry_on_trixie)
    received = subscriber.until("org.example.doorbell")
    assert received[0]["origin"]["signal"] == "SIGHUP"
    names = [notification["name"] for notification in received]
    assert names == ["willReload", "didReload", "org.example.doorbell"]
    belfry_on_trixie.configure("[Nonsense]\n")
    belfry_on_trixie.host.systemctl("reload", SERVICE)
    assert belfry_on_trixie.properties("StatusText", "SubState") == {
        "StatusText": "active, new configuration refused",
        "SubState": "running",
    }


def test_the_continue_that_newer_systemd_sends_with_a_reload_resumes_nothing(belfry_on_trixie):
    start_with_notify_reload(belfry_on_trixie)
    subscriber = belfry_on_trixie.subscribe()

    for _ in range(5):
        belfry_on_trixie.host.systemctl("reload", SERVICE)
    belfry_on_trixie.ctl("pause")
    for _ in range(5):
        belfry_on_trixie.host.systemctl("reload", SERVICE)
    assert belfry_on_trixie.status()["state"] == "background"
    belfry_on_trixie.kill("CONT")

    names = [notification["name"] for notification in subscriber.until("didBecomeActive")]
    reloads = ["willReload", "didReload"] * 5
    assert names == [*reloads, *PAUSE, *reloads, *CONTINUE]
    belfry_on_trixie.kill("CONT")
    assert subscriber.next()["name"] == "didResume"


def test_the_continue_of_an_operator_after_his_reload_signal_resumes(waiting):
    waiting.ctl("pause")
    subscriber = waiting.subscribe()

    waiting.kill("HUP")
    waiting.kill("CONT")

    names = {notification["name"] for notification in subscriber.until("didBecomeActive")}
    assert {"didReload", *CONTINUE} <= names
