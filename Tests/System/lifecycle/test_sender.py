# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The sender of a signal, as far as the kernel reports it."""

import os
import signal


def test_sender_is_named_by_pid_user_unit_and_command(started_on_each):
    belfry = started_on_each
    subscriber = belfry.subscribe()
    # systemd-run takes $$ for a single one.
    script = f"echo $$$$ >/run/belfry-sender; kill -USR1 {belfry.main_pid()}; sleep 60; :"
    unit = ["systemd-run", "--quiet", "--collect", "--unit=belfry-sender", "--uid=belfry"]
    belfry.host.path("/run/belfry-sender").touch()
    belfry.host.path("/run/belfry-sender").chmod(0o666)
    belfry.host.run(*unit, "sh", "-c", script)

    origin = subscriber.next()["origin"]
    belfry.host.systemctl("stop", "belfry-sender.service")
    uid = int(belfry.host.run("id", "-u", "belfry").stdout)
    pid = int(belfry.host.path("/run/belfry-sender").read_text())
    assert origin == {
        "kind": "signal",
        "signal": "SIGUSR1",
        "pid": pid,
        "uid": uid,
        "unit": "belfry-sender.service",
        "command": "sh",
        "value": 0,
    }
    record = belfry.notifications()[-1]
    assert record["BELFRY_SENDER_PID"] == str(pid)
    assert record["BELFRY_SENDER_UID"] == str(uid)
    assert record["BELFRY_SENDER_UNIT"] == "belfry-sender.service"
    assert record["BELFRY_SENDER_COMMAND"] == "sh"
    assert f"SIGUSR1 from pid {pid} (sh), uid {uid}, belfry-sender.service" in record["MESSAGE"]


def test_who_has_become_root_is_named_by_the_login(started_on_each):
    """As pam_loginuid(8) sets it at a login, which sudo keeps."""
    belfry = started_on_each
    subscriber = belfry.subscribe()
    become = "echo 1234 >/proc/self/loginuid &&"

    with belfry.host.running("sh", "-c", f"{become} kill -USR1 {belfry.main_pid()} && exec sleep 60"):
        signalled = subscriber.next()["origin"]
    belfry.host.run("sh", "-c", f"{become} belfryctl post org.example.knock")

    for origin in (signalled, subscriber.next()["origin"]):
        assert (origin["uid"], origin["loginUid"]) == (0, 1234)
    for record in belfry.notifications()[-2:]:
        assert record["BELFRY_SENDER_LOGINUID"] == "1234"
        assert "uid 0, login uid 1234" in record["MESSAGE"]
    assert "(root, login uid 1234)" in belfry.ctl("history", "-n", "1").stdout


def test_sender_outside_the_namespace_is_marked_as_outside(started_on_each):
    subscriber = started_on_each.subscribe()

    os.kill(started_on_each.outer_pid(), signal.SIGUSR1)

    origin = subscriber.next()["origin"]
    assert (origin["pid"], origin["sender"]) == (0, "outside")
    assert "unit" not in origin and "command" not in origin
    record = started_on_each.notifications()[-1]
    assert record["BELFRY_SENDER_PID"] == "0"
    assert "BELFRY_SENDER_COMMAND" not in record
    assert "SIGUSR1 from outside of this pid namespace, uid 0" in record["MESSAGE"]


def test_sender_that_has_exited_has_only_pid_and_user(started_on_each):
    belfry = started_on_each
    subscriber = belfry.subscribe(names=["flushRequested"])
    belfry.kill("STOP")
    sender = belfry.host.run("sh", "-c", f"kill -USR1 {belfry.main_pid()}; echo $$").stdout.strip()
    belfry.kill("CONT")

    origin = subscriber.next()["origin"]
    assert (origin["pid"], origin["uid"]) == (int(sender), 0)
    assert "command" not in origin and "unit" not in origin
