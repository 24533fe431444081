# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl history`: whose records it shows, and what it prints if nothing can be read."""

import json
import subprocess

from application import Application
from belfry_service import SERVICE
from users import STRANGER, as_user

READER = as_user("nobody", "systemd-journal")
# In a service of its own, as a web server's process would be.
SERVANT = ["systemd-run", "--quiet", "--wait", "--pipe", "--uid=nobody"]
FORGERY = """\
SYSLOG_IDENTIFIER=belfryd
PRIORITY=6
MESSAGE=willTerminate active -> background, nobody did it
BELFRY_NOTIFICATION=willTerminate
BELFRY_SEQUENCE=1
BELFRY_STATE=background
BELFRY_PREVIOUS_STATE=active
BELFRY_ORIGIN=signal
BELFRY_REALTIME_USEC=1
BELFRY_MONOTONIC_USEC=1
"""
FORGED_TIMELINE = """\
SYSLOG_IDENTIFIER=belfryd
PRIORITY=6
MESSAGE=stop took 0 ms
BELFRY_TRIGGER=stop
BELFRY_TIMELINE=[{"notification":"willTerminate","sequence":1,"listeners":[{"listener":"forgedListener"}]}]
"""
UNREADABLE = "unable to read the journal: permission denied\nroot and members of the group systemd-journal can read it\n"


def history(belfry, *arguments: str) -> list[dict]:
    lines = belfry.ctl("history", "--json", *arguments).stdout.splitlines()
    return [json.loads(line)["notification"] for line in lines]


def ctl_of(belfry, who: list[str], *arguments: str) -> subprocess.CompletedProcess:
    return belfry.host.run(*who, "belfryctl", *arguments, check=False)


def test_records_that_other_users_forge_are_not_shown(started_on_each):
    host = started_on_each.host
    # All that the host's journal has of other tests may be much.
    true = history(started_on_each, "-n", "50")
    for writer in (STRANGER, SERVANT):
        host.run(*writer, "logger", "--journald", input=FORGERY)
    last = host.journal("SYSLOG_IDENTIFIER=belfryd", "--lines=2")
    assert [(r["BELFRY_NOTIFICATION"], r["_UID"]) for r in last] == [("willTerminate", "65534")] * 2

    assert true and history(started_on_each, "-n", "50") == true
    assert history(started_on_each, "-n", "1") == true[-1:]
    host.systemctl("stop", SERVICE)
    host.run(*STRANGER, "logger", "--journald", input=FORGED_TIMELINE)
    host.run("journalctl", "--sync")
    calls = started_on_each.ctl("history", "--records", "-n", "50").stdout
    assert "- serviceManager  " in calls and "forgedListener" not in calls


def test_history_of_a_unit_is_that_of_its_service(started_on_each):
    # Only the first also shows what root did by hand before.
    last = ["-n", "3"]
    assert history(started_on_each, SERVICE, *last) == history(started_on_each, *last) != []
    assert history(started_on_each, "systemd-journald.service") == []


def test_user_who_may_not_read_the_journal_gets_a_message(started_on_each):
    done = ctl_of(started_on_each, STRANGER, "history")
    assert (done.returncode, done.stdout, done.stderr) == (77, "", UNREADABLE)
    assert "didBecomeActive" in ctl_of(started_on_each, READER, "history").stdout
    nothing = ctl_of(started_on_each, READER, "history", "--on", "org.example.never")
    note = "belfryctl: the journal has no such notifications of belfryd\n"
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", note)


# Units that log into a journal namespace (LogNamespace= in systemd.exec(5))


def names(belfry, *arguments: str) -> list[str]:
    return [notification["name"] for notification in history(belfry, *arguments)]


def test_an_application_that_logs_into_a_journal_namespace_has_its_history(on_each):
    shop = Application(on_each.host)
    drop_in = f"/run/systemd/system/{shop.name}.d/namespace.conf"
    shop.host.write(drop_in, "[Service]\nLogNamespace=shops\n")
    shop.write_unit()
    shop.write()
    try:
        shop.begin()
        shop.ctl("pause")
        shop.ctl("resume")
        pause = ["willResignActive", "didEnterBackground", "willEnterForeground", "didBecomeActive"]
        shop.wait_for(lambda: names(shop, "-n", "4") == pause, "show its pause")
        shop.host.systemctl("stop", shop.unit.name)
        shop.wait_for(lambda: names(shop, "-n", "1") == ["willTerminate"], "show its stop")
    finally:
        shop.host.path(drop_in).unlink()
        shop.remove()


def test_history_goes_on_in_another_journal_namespace(on_each):
    last = "org.example.last"
    for number, namespace in enumerate(["", "front", "back"]):
        on_each.host.systemctl("stop", SERVICE)
        on_each.drop_in(LogNamespace=namespace)
        on_each.start()
        on_each.ctl("post", f"org.example.number{number}")
    on_each.ctl("post", last)
    on_each.wait_for(lambda: names(on_each, "-n", "1") == [last], "show the last one")

    own = [f"org.example.number{number}" for number in range(3)]
    assert names(on_each, "--on", *own) == own
    sequences = [notification["sequence"] for notification in history(on_each, "-n", "20")]
    assert sequences == sorted(sequences)


def test_rights_and_forged_records_are_the_same_in_a_journal_namespace(on_each):
    on_each.drop_in(LogNamespace="shops")
    on_each.start()
    on_each.ctl("post", "org.example.true")
    on_each.wait_for(lambda: names(on_each, "-n", "1") == ["org.example.true"], "show what it has posted")
    # He would see a record that he himself has forged, of a service of his own.
    assert "org.example.true" in ctl_of(on_each, READER, "history", "-n", "1").stdout
    forge = [*SERVANT, "--property=LogNamespace=shops", "logger", "--journald"]
    on_each.host.run(*forge, input=FORGERY)
    inside = ["journalctl", "--namespace=shops", "--quiet", "--output=cat", "SYSLOG_IDENTIFIER=belfryd", "_UID=65534"]
    on_each.wait_for(lambda: "nobody did it" in on_each.host.run(*inside).stdout, "have the forged record in the journal")

    assert names(on_each, "-n", "1") == ["org.example.true"]
    done = ctl_of(on_each, STRANGER, "history")
    assert (done.returncode, done.stdout, done.stderr) == (77, "", UNREADABLE)
