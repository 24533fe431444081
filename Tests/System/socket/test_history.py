# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl history`: whose records it shows, and what it prints if nothing can be read."""

import json
import subprocess

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
    true = history(started_on_each)
    for writer in (STRANGER, SERVANT):
        host.run(*writer, "logger", "--journald", input=FORGERY)
    last = host.journal("SYSLOG_IDENTIFIER=belfryd", "--lines=2")
    assert [(r["BELFRY_NOTIFICATION"], r["_UID"]) for r in last] == [("willTerminate", "65534")] * 2

    assert true and history(started_on_each) == true
    assert history(started_on_each, "-n", "1") == true[-1:]
    host.systemctl("stop", SERVICE)
    host.run(*STRANGER, "logger", "--journald", input=FORGED_TIMELINE)
    host.run("journalctl", "--sync")
    calls = started_on_each.ctl("history", "--records").stdout
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
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (0, "", "")
