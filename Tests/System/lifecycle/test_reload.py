# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`systemctl reload` succeeds only if the new configuration is in effect."""

import pytest
from belfry_service import CONFIGURATION, DOORBELL, SERVICE

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


def test_newer_systemd_reloads_with_the_signal_and_waits(belfry_on_trixie):
    belfry_on_trixie.use_notify_reload()
    belfry_on_trixie.start()
    subscriber = belfry_on_trixie.subscribe()
    belfry_on_trixie.configure(DOORBELL)

    belfry_on_trixie.host.systemctl("reload", SERVICE)

    assert belfry_on_trixie.properties("SubState") == {"SubState": "running"}
    ring(belfry_on_trixie)
    received = subscriber.until("org.example.doorbell")
    assert received[0]["origin"]["signal"] == "SIGHUP"
    # systemd also sends a SIGCONT, at nearly the same time.
    names = [notification["name"] for notification in received]
    assert [name for name in names if name != "didResume"] == ["willReload", "didReload", "org.example.doorbell"], names
    assert names.count("didResume") <= 1
    belfry_on_trixie.configure("[Nonsense]\n")
    belfry_on_trixie.host.systemctl("reload", SERVICE)
    assert belfry_on_trixie.properties("StatusText", "SubState") == {
        "StatusText": "active, new configuration refused",
        "SubState": "running",
    }
