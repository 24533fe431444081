# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`journalctl -x` explains each record according to its message."""

from contextlib import ExitStack

from application import Application
from belfry_service import CACHE_TAG, SERVICE
from listener_unit import ListenerUnit
from message_catalog import catalog, check_records
from probe_service import ProbeService

# The names under which belfryd and belfry-listener log here.
PROGRAMS = ["belfryd", "belfry-listener", "guard", "belfry-listener@shop"]
# What programs of listeners write. The last line of one that is killed may be cut.
OUTPUT = "output of the program"


def explained(belfry, message: str) -> str:
    """What `journalctl -x` shows below the record whose message contains this."""
    belfry.host.run("journalctl", "--sync")
    cursor = f"--after-cursor={belfry.cursor}"
    text = belfry.host.run("journalctl", "-x", "--no-pager", f"--unit={SERVICE}", cursor).stdout
    lines = text.splitlines()
    [at] = [number for number, line in enumerate(lines) if message in line]
    below = lines[at + 1 :]
    return "\n".join(below[: next((n for n, line in enumerate(below) if line[:2] not in ("--", "░░")), len(below))])


def test_disabled_name_without_a_listener_is_not_explained_as_an_error(on_each):
    on_each.configure("[Service]\nDisabledListeners=missing\n")
    on_each.start()

    text = explained(on_each, "no listener 'missing' of DisabledListeners= registered itself")
    assert "Subject: Something in the configuration does nothing" in text
    assert "refuses to run" not in text


def records_of_an_unhealthy_service(host) -> list[dict]:
    """The records of a service with an unhealthy listener and a damaged state file, which belfryd itself never has."""
    probe = ProbeService(host)
    try:
        probe.start("frail", WatchdogSec="2s", Restart="no")
        probe.kill("USR1")
        probe.wait_for(lambda: any("BELFRY_HEALTH" in record for record in probe.journal()), "fall ill")
        probe.stop()
        host.write("/var/lib/belfry-probe/state", "nonsense")
        probe.start("count", StateDirectory="belfry-probe")
        assert any("unable to restore state" in message for message in probe.messages())
        return probe.journal()
    finally:
        probe.remove()
        host.run("rm", "-rf", "/var/lib/belfry-probe")


def post_twice(belfry) -> None:
    """Posts two notifications at once."""
    with belfry.connect() as client:
        for name in ("a", "b"):
            client.send("Post", {"name": f"com.example.{name}"})
        for _ in range(2):
            client.receive()


def run_listeners(belfry) -> None:
    """Has belfry-listener write each kind of its records: of errors, of the connection, of runs and of refusals."""
    guard = ListenerUnit(belfry, "guard")
    try:
        guard.write("com.example.bell", "#!/bin/sh\n", "Timout=1s\n")
        belfry.host.systemctl("start", guard.name, check=False)
        script = f'#!/bin/sh\necho {OUTPUT}\n[ "$BELFRY_NOTIFICATION" ] || exit 0\n'
        guard.write("com.example.a com.example.b", f"{script}yes {OUTPUT} | head -n 2000\nsleep 1000\n", "Timeout=500ms\nRunOnStart=yes\n")
        guard.drop_in("[Service]\nDelegate=no\nRestart=no\n")
        belfry.start()
        guard.start()
        # The second one waits too long only if it comes at once after the first one.
        guard.wait_for(lambda: post_twice(belfry) or guard.has_line("waited too long for the last run"), "drop a run")
        belfry.host.systemctl("restart", SERVICE)
        guard.wait_until_attached()
        taker = ["systemd-run", "--quiet", "--wait", "belfryctl", "attach", guard.listener, "--on", "com.example.a", "--", "true"]
        assert belfry.host.run(*taker, check=False).returncode == 69
        belfry.host.systemctl("stop", SERVICE)
    finally:
        guard.remove()


def run_application(belfry) -> None:
    """Has belfry-listener say that a command of an application ran."""
    shop = Application(belfry.host)
    try:
        shop.write_unit()
        shop.write()
        shop.begin()
    finally:
        shop.remove()


def test_every_record_has_the_fields_that_its_explanation_names(on_each):
    cache = "/var/cache/belfry/explained"
    on_each.configure(f"[Cache explained]\nPath={cache}\nFilesMax=0\n")
    on_each.host.write(f"{cache}/CACHEDIR.TAG", f"{CACHE_TAG}\n")
    on_each.host.write(f"{cache}/frame", "frame")
    on_each.host.run("chown", "-R", "belfry:", cache)
    on_each.start()
    # A flush, a status, an attached listener, a pause and a refusal of a listener.
    on_each.ctl("flush")
    on_each.ctl("post", "--wait", "statusRequested")
    with on_each.connect() as client:
        client.send("Attach", {"listener": "explained", "names": ["org.example.lantern"]}, more=True)
        on_each.wait_for(lambda: any(one["name"] == "explained" for one in on_each.listeners()), "attach")
    # Of three reloads the second waits, and the third is merged with it.
    with ExitStack() as stack:
        silent, *others = (stack.enter_context(on_each.connect()) for _ in range(4))
        silent.attach("silent", "willReload")
        for client in others:
            client.send("Reload")
        on_each.wait_for(lambda: any("reload merged with" in message for message in on_each.messages()), "merge")
    on_each.ctl("pause")
    on_each.ctl("resume")
    on_each.configure("[Socket]\nEnabled=no\n")
    on_each.ctl("reload", check=False)
    on_each.configure("[Signals]\nUSR3=stop\n")
    on_each.ctl("reload", check=False)
    # In the place of the file that belfryd --record-exit writes.
    blocked = "/var/lib/belfry/last-exit.new"
    on_each.host.run("mkdir", blocked)
    on_each.host.systemctl("stop", SERVICE)
    assert f"unable to remove '{blocked}': Is a directory (EISDIR)" in on_each.messages()
    on_each.host.run("rm", "-r", cache, blocked)

    entries = catalog(on_each.host)
    on_each.configure("")
    run_listeners(on_each)
    run_application(on_each)
    records = on_each.host.journal(after=on_each.cursor)
    records = [r for r in records if r.get("SYSLOG_IDENTIFIER") in PROGRAMS and not OUTPUT.startswith(r["MESSAGE"])]
    records += [r for r in records_of_an_unhealthy_service(on_each.host) if r.get("MESSAGE_ID") in entries]
    check_records(records, entries)
    expected = {i for i, fields in entries.items() if fields - {"SYSLOG_IDENTIFIER"}}
    assert expected <= {r["MESSAGE_ID"] for r in records}
