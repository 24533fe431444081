# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A pause of an application: its reason, its end, its failure, and what is left of it when its instance does not run."""

import json
import re

import pytest
from application import Application

REASON = "a backup until six"
BUSY = "/srv/shop.busy"
TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
# Who paused it, in the words of the journal and of belfryctl.
BY_JOURNAL = r"by pid \d+ \(belfryctl\), uid 0.* on the socket"
BY_CTL = r"by socket from pid \d+ belfryctl \(root.*\).*"


@pytest.fixture
def shop(on_each):
    shop = Application(on_each.host)
    shop.marker, shop.busy = shop.host.path("/run/belfry@shop/paused"), shop.host.path(BUSY)
    shop.skip_old_records()
    shop.write_unit("Restart=on-failure\nRestartSec=100ms\n")
    try:
        yield shop
    finally:
        shop.busy.unlink(missing_ok=True)
        shop.remove()


def begin(shop: Application, options: str = "") -> None:
    shop.options = options
    shop.write()
    shop.begin()
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")


def listed(shop: Application) -> str:
    """The row of the application."""
    lines = shop.host.run("belfryctl", "list").stdout.splitlines()
    return next(line for line in lines if line.startswith("belfryd@shop "))


def said(shop: Application, pattern: str) -> list[dict]:
    return [record for record in shop.journal() if re.search(pattern, record.get("MESSAGE", ""))]


def make_older(shop: Application, seconds: int) -> None:
    """The instance, which does not run, was paused so much earlier."""
    run = json.loads(shop.marker.read_text())
    run["lastWord"]["realtimeUsec"] -= seconds * 1_000_000
    shop.marker.write_text(json.dumps(run))


def test_a_reason_is_shown_wherever_the_pause_is(shop):
    shop.commands["Pause"] = f"/bin/sh -c 'echo \"$$BELFRY_USER_INFO\" >>{shop.log}'"
    begin(shop)
    assert shop.ctl("pause", "--reason", REASON).stdout == "paused (background)\n"
    assert json.loads(shop.done()[-1]) == {"reason": REASON}
    for _ in ("at once", "after a crash"):
        assert re.search(f"^    Last word: paused .* {BY_CTL}: {REASON}$", shop.ctl("status").stdout, re.MULTILINE)
        assert shop.status()["lastWord"]["pauseReason"] == REASON
        assert re.search(f", paused .* {BY_CTL}: {REASON}  ", listed(shop))
        assert re.match(rf"paused \(background\) {BY_JOURNAL}: {REASON}", shop.property("StatusText"))
        pid = shop.main_pid()
        shop.kill("KILL")
        shop.wait_for(lambda pid=pid: shop.main_pid() not in (0, pid), "start again")
        shop.wait_until_up()
    assert said(shop, f"^didEnterBackground inactive -> background, .*, reason {REASON}$")
    assert said(shop, f"^starting paused, {BY_JOURNAL}: {REASON}$")
    assert f'reason="{REASON}"' in shop.ctl("history", "--on", "didEnterBackground").stdout
    # What somebody has ended is no warning.
    shop.ctl("resume")
    assert not said(shop, "which ends the pause")
    assert re.search(f"^    Last word: paused .* {BY_CTL}: {REASON}; ended .*: {BY_CTL}$", shop.ctl("status").stdout, re.MULTILINE)


def test_a_reason_is_bounded_and_cannot_forge_a_line(shop):
    begin(shop)
    for reason in ("", "x" * 201):
        answer = shop.ctl("pause", "--reason", reason, check=False)
        assert answer.returncode == 64 and "'reason'" in answer.stderr
    assert shop.state() == "active"
    shop.ctl("pause", "--reason", "x\nStatus: \x1b[2J%n")
    escaped = r"x\nStatus: \u{1B}[2J%n"
    assert escaped in shop.ctl("status").stdout and escaped in listed(shop)
    status = shop.property("StatusText")
    assert "Status: " in status and "\x1b" not in status
    assert [record for record in shop.journal() if f"reason {escaped}" in record["MESSAGE"]]


def test_a_pause_ends_after_its_longest_time(shop):
    begin(shop, "PauseMax=1s")
    shop.ctl("pause", "--reason", REASON)
    shop.wait_for(lambda: shop.done() == ["Start", "Pause", "Resume"], "end the pause")
    shop.wait_for(lambda: shop.state() == "active", "resume")
    records = said(shop, f"^PauseMax= has passed, which ends the pause since {TIME} {BY_JOURNAL}: {REASON}$")
    assert [record["PRIORITY"] for record in records] == ["4"] and not shop.marker.exists()
    assert re.search(f"Last word: paused .*: {REASON}; ended .*: PauseMax= has passed$", shop.ctl("status").stdout, re.MULTILINE)


def test_a_pause_whose_resume_failed_is_one_for_the_next_process(shop):
    shop.commands["Resume"] = f"/bin/sh -c 'echo Resume >>{shop.log}; test -e /srv/shop.allowed'"
    begin(shop)
    shop.ctl("pause", "--reason", REASON)
    assert shop.ctl("resume", check=False).returncode == 1
    assert shop.state() == "active" and shop.marker.exists()
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    assert shop.state() == "background" and REASON in shop.ctl("status").stdout
    allowed = shop.host.path("/srv/shop.allowed")
    allowed.touch()
    try:
        shop.ctl("resume")
    finally:
        allowed.unlink()
    assert shop.state() == "active" and not shop.marker.exists()
    assert shop.done() == ["Start", "Pause", "Resume", "Resume"]


def test_the_longest_time_counts_from_the_pause_on(shop):
    begin(shop, "PauseMax=1h")
    shop.ctl("pause")
    for seconds, state in ((1800, "background"), (1800, "active")):
        shop.host.systemctl("stop", shop.name)
        make_older(shop, seconds)
        shop.host.run("belfryctl", "enable", "shop")
        shop.wait_until_up()
        shop.wait_for(lambda state=state: shop.state() == state, f"be {state}")
    assert shop.done() == ["Start", "Pause", "Resume"]


def test_a_pause_without_a_longest_time_has_no_end(shop):
    begin(shop, "PauseMax=infinity")
    shop.ctl("pause")
    shop.host.systemctl("stop", shop.name)
    make_older(shop, 10 * 365 * 86400)
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    assert shop.state() == "background" and shop.done() == ["Start", "Pause"]


@pytest.mark.parametrize("is_crash", [True, False])
def test_a_new_run_of_the_unit_that_ends_a_pause_is_a_warning(shop, is_crash):
    begin(shop)
    shop.ctl("pause", "--reason", REASON)
    if is_crash:
        shop.unit.kill("KILL")
    else:
        shop.host.systemctl("restart", shop.unit.name)
    shop.wait_for(lambda: shop.done()[-2:] == ["Start", "Resume"], "end the pause with the run")
    shop.wait_for(lambda: shop.state() == "active", "resume")
    text = f"^shop.service has started again, which ends the pause since {TIME} {BY_JOURNAL}: {REASON}$"
    assert [record["PRIORITY"] for record in said(shop, text)] == ["4"]
    # The next run ends no pause.
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_for(lambda: shop.done().count("Start") == 3, "run Start= again")
    shop.wait_until_up()
    assert len(said(shop, text)) == 1


def test_a_second_pause_repeats_one_that_failed(shop):
    shop.commands["Pause"] = f"/bin/sh -c 'test ! -e {BUSY} || {{ echo it is busy >&2; exit 1; }}; echo Pause >>{shop.log}'"
    begin(shop)
    shop.busy.touch()
    assert shop.ctl("pause", check=False).returncode == 1 and not shop.marker.exists()
    # A success of another command is none of Pause=.
    shop.ctl("flush")
    shop.busy.unlink()
    answer = shop.ctl("pause", "--reason", REASON)
    assert (answer.stdout, answer.stderr) == ("paused (background)\n", "") and shop.marker.exists()
    assert shop.property("StatusText").endswith(REASON) and shop.done() == ["Start", "Flush", "Pause"]
    # One that has succeeded is not repeated.
    answer = shop.ctl("pause", "--reason", "another")
    told = "belfryctl: it was paused (background) before, nothing was run or changed\n"
    assert (answer.stdout, answer.stderr) == ("paused (background)\n", told)
    assert shop.done() == ["Start", "Flush", "Pause"] and shop.status()["lastWord"]["pauseReason"] == REASON


def test_a_second_pause_reaches_commands_that_were_not_there(shop):
    begin(shop)
    shop.host.systemctl("stop", shop.listener.name)
    assert "Pause= does not run" in shop.ctl("pause", check=False).stderr
    shop.host.systemctl("start", shop.listener.name)
    shop.wait_until_up()
    assert shop.ctl("pause").stderr == "" and shop.done() == ["Start", "Pause"]


def test_a_pause_is_listed_while_its_instance_does_not_run(shop):
    begin(shop)
    shop.ctl("pause", "--reason", REASON)
    shop.host.systemctl("stop", shop.name)
    row = listed(shop)
    assert re.search(f"^belfryd@shop +- .* shop.service is active \\(running\\), but not belfryd@shop, .*, paused .* {BY_CTL}: {REASON} +-$", row)
    services = json.loads(shop.host.run("belfryctl", "list", "--json").stdout)["services"]
    assert next(one for one in services if one["service"] == "belfryd@shop")["paused"]["pauseReason"] == REASON
    # Others may know that it is paused, and not more.
    nobody = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--reset-env"]
    assert re.search(r"shop.service is not known to run, paused +-\n", shop.host.run(*nobody, "belfryctl", "list").stdout)
    # What is no marker says no more than that, and blocks nobody.
    shop.marker.unlink()
    shop.host.run("mkfifo", "/run/belfry@shop/paused")
    assert re.search(r"shop.service is active \(running\), but not belfryd@shop, see 'belfryctl enable shop', paused +-$", listed(shop))
