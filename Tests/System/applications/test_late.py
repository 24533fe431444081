# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A reload that was not accepted, one that was not applied, and commands that would wait for the stop of their own unit."""

import re

import pytest
from application import Application

KEPT = "the service keeps its old configuration; whether the listeners named here have the new one is not known\n"


@pytest.fixture
def lamp(on_each):
    lamp = Application(on_each.host, "lamp", options="Timeout=2s")
    lamp.write_unit()
    try:
        yield lamp
    finally:
        lamp.remove()


def begin(lamp: Application, **commands: str) -> None:
    lamp.commands |= commands
    lamp.write()
    lamp.begin()


def test_a_reload_that_is_late_is_not_refused(lamp):
    works = lamp.host.path("/run/lamp.works")
    works.unlink(missing_ok=True)
    begin(lamp, Reload="/bin/sh -c 'test -e /run/lamp.works || sleep 100'")
    answer = lamp.ctl("reload", check=False)
    late = r"listener 'lamp' gave no answer to didReload after 2(\.\d)? s"
    assert answer.returncode == 1
    assert re.fullmatch(f"{late}: Reload= has not ended within its deadline\n{re.escape(KEPT)}", answer.stderr)
    assert lamp.property("StatusText") == "active, new configuration not applied by all, listener 'lamp' failed"
    assert lamp.says(", the old configuration stays, not every listener has applied the new one")
    assert lamp.says(" ms: Reload= has not ended within its deadline")
    answer = lamp.ctl("is-active", check=False)
    failure = r"Reload= failed \S+Z: lamp: Reload= has not ended within its deadline"
    assert answer.returncode == 1 and re.search(failure, answer.stdout)
    # The next one that succeeds ends it.
    works.touch()
    lamp.ctl("reload")
    assert lamp.ctl("is-active").stdout == "active\n"
    works.unlink()


@pytest.mark.parametrize(
    "key, command, status, said",
    [
        ("CheckReload", "/bin/sh -c 'echo wrong line >&2; exit 1'", 78, "lamp: CheckReload=: wrong line\n"),
        ("CheckReload", "sleep 100", 78, "lamp: CheckReload= has not ended within its deadline\n"),
        ("Reload", "/bin/sh -c 'echo no lamp >&2; exit 1'", 1, "listener 'lamp' failed at didReload: Reload=: no lamp\n" + KEPT),
    ],
)
def test_only_what_was_refused_is_said_to_be(lamp, key, command, status, said):
    begin(lamp, **{key: command})
    answer = lamp.ctl("reload", check=False)
    assert (answer.returncode, answer.stderr) == (status, said)
    assert "Reload" not in lamp.done()
    words = "refused" if status == 78 else "not applied by all"
    assert lamp.property("StatusText").startswith(f"active, new configuration {words}")


def test_a_reload_that_cannot_run_is_refused_before_anything_is_changed(lamp):
    begin(lamp, CheckReload="")
    lamp.host.systemctl("stop", lamp.listener.name)
    answer = lamp.ctl("reload", check=False)
    reason = "application: belfry-listener@lamp.service is not attached, Reload= does not run\n"
    assert (answer.returncode, answer.stderr) == (78, reason)


@pytest.mark.parametrize(
    "key, command",
    [
        ("Reload", "systemctl restart lamp"),
        ("Reload", "/usr/bin/systemctl try-restart lamp.service"),
        ("MemoryWarning", "systemctl restart lamp"),
        ("Pause", "systemctl stop lamp"),
    ],
)
def test_a_command_that_waits_for_the_stop_of_its_own_unit_is_an_error(lamp, key, command):
    lamp.commands = {key: command}
    lamp.write()
    problem = "6:1: error: systemctl waits for the stop of 'lamp.service', which waits for this: use --no-block"
    for verb in ("check", "enable"):
        answer = lamp.host.run("belfryctl", verb, "lamp", check=False)
        assert answer.returncode == 78 and f"{lamp.file}:{problem}\n" in answer.stderr
    lamp.host.systemctl("start", lamp.unit.name)
    assert lamp.host.systemctl("start", lamp.name, check=False).returncode != 0
    assert lamp.property("ExecMainStatus") == "78" and lamp.says(problem)


@pytest.mark.parametrize(
    "key, ask", [("Reload", ["reload"]), ("MemoryWarning", ["simulate", "didReceiveMemoryWarning", "level=some"])]
)
def test_a_restart_that_is_not_waited_for_is_done(lamp, key, ask):
    begin(lamp, **{key: "systemctl --no-block restart lamp"})
    pid = lamp.unit.main_pid()
    assert lamp.ctl(*ask, check=False).returncode == 0
    lamp.wait_for(lambda: lamp.unit.main_pid() not in (0, pid), "restart its unit")
    lamp.wait_until_up()
    assert [line for line in lamp.done() if "Reload" not in line] == ["Start", "Stop", "unit ended", "Start"]


def test_a_restart_by_a_shell_is_late_and_not_refused(lamp):
    begin(lamp, Reload="/bin/sh -c 'systemctl restart lamp'")
    pid = lamp.unit.main_pid()
    answer = lamp.ctl("reload", check=False)
    assert answer.returncode == 1 and ": Reload= has not ended within its deadline\n" in answer.stderr
    lamp.wait_for(lambda: lamp.unit.main_pid() not in (0, pid), "restart its unit")


def test_a_reload_of_the_own_unit_is_not_one_of_belfry(lamp):
    lamp.write_unit(f"ExecReload=/bin/sh -c 'echo reloaded >>{lamp.log}'\n")
    begin(lamp, Reload="systemctl reload lamp")
    lamp.ctl("reload")
    assert lamp.done() == ["Start", "CheckReload", "reloaded"]
