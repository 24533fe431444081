# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Something is killed, or systemd reloads, in the middle of each step of an application."""

from contextlib import contextmanager

import pytest
from application import FOLDER, Application

VERBS = ["Start", "Pause", "Resume", "Stop"]


@pytest.fixture
def shop(on_each):
    """A unit whose commands wait at the gate, and take a second."""
    shop = Application(on_each.host)
    for verb in VERBS:
        shop.commands[verb] = f"/bin/sh -c 'echo {verb} >>{shop.log}; {shop.at_gate}; sleep 1; echo {verb} done >>{shop.log}'"
    shop.write_unit()
    shop.write()
    try:
        yield shop
    finally:
        shop.remove()


def begin(shop: Application, verb: str) -> None:
    """Begins a step, and returns when its command waits at the gate."""
    if verb != "Start":
        shop.begin()
        shop.wait_for(lambda: "Start done" in shop.done(), "start")
    if verb == "Resume":
        shop.ctl("pause")
    shop.close_gate()
    match verb:
        case "Start":
            shop.host.systemctl("start", "--no-block", shop.unit.name)
        case "Stop":
            shop.host.systemctl("stop", "--no-block", shop.unit.name)
        case _:
            shop.host.systemctl("kill", "--kill-who=main", f"--signal={'TSTP' if verb == 'Pause' else 'CONT'}", shop.name)
    shop.wait_for(lambda: verb in shop.done(), f"run {verb}=")


def check_end(shop: Application, verb: str) -> None:
    """The step was begun once, and a stop of the unit works and runs Stop= once."""
    if verb != "Stop":
        # The listener starts again after five seconds.
        shop.wait_for(lambda: shop.property("ActiveState") == "active" and shop.is_attached(), "be there again", 60)
        shop.host.systemctl("stop", shop.unit.name)
    shop.wait_for(lambda: shop.unit.property("ActiveState") in ("inactive", "failed"), "let its unit stop", 60)
    done = shop.done()
    assert [done.count(one) for one in ("Start", verb, "Stop", "unit ended")] == [1, 1, 1, 1], done


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("victim", ["belfryd", "belfry-listener"])
def test_a_process_of_belfry_is_killed(shop, verb, victim):
    begin(shop, verb)
    unit = shop if victim == "belfryd" else shop.listener
    unit.kill("KILL")
    shop.open_gate()
    check_end(shop, verb)


def test_a_pause_ends_with_its_run_though_belfryd_is_killed_in_the_middle(shop):
    begin(shop, "Pause")
    shop.open_gate()
    shop.wait_for(lambda: "Pause done" in shop.done(), "pause")
    shop.close_gate()
    shop.host.systemctl("restart", "--no-block", shop.unit.name)
    shop.wait_for(lambda: shop.done().count("Start") == 2, "run Start= for the next run")
    shop.kill("KILL")
    shop.open_gate()
    shop.wait_for(lambda: shop.property("NRestarts") == "1", "be started again")
    shop.wait_until_up()
    shop.wait_for(lambda: "Resume done" in shop.done() and shop.state() == "active", "end the pause")
    assert (shop.done().count("Start"), shop.done().count("Resume")) == (2, 1)
    # That is over: a pause of this run is kept.
    shop.ctl("pause")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    assert shop.state() == "background" and shop.done().count("Resume") == 1


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("command", ["daemon-reload", "daemon-reexec"])
def test_systemd_reloads(shop, verb, command):
    begin(shop, verb)
    shop.host.systemctl(command)
    shop.open_gate()
    check_end(shop, verb)
    assert f"{verb} done" in shop.done()


def test_the_unit_crashes_in_the_middle_of_a_pause(shop):
    begin(shop, "Pause")
    shop.unit.kill("KILL")
    shop.open_gate()
    shop.wait_for(lambda: shop.property("ActiveState") == "inactive", "follow the crash")
    assert "Stop" not in shop.done()
    shop.begin()
    shop.wait_for(lambda: shop.state() == "active" and shop.done().count("Start done") == 2, "begin anew")


@contextmanager
def full_disk(shop: Application, folder: str, owner: str):
    """Has the unit run with a file system of its own at this folder, which is full then."""
    host = shop.host
    host.run("mkdir", "-p", folder)
    host.run("mount", "-t", "tmpfs", "-o", f"size=64k,mode=0755,uid={owner},gid={owner}", "tmpfs", folder)
    try:
        shop.begin()
        host.run("sh", "-c", f"cat /dev/zero >{folder}/full", check=False)
        yield
    finally:
        host.systemctl("stop", shop.unit.name, check=False)
        host.run("umount", "--lazy", folder)


def test_a_pause_that_a_full_disk_does_not_keep_is_told(shop):
    with full_disk(shop, "/run/belfry@shop", "belfry"):
        shop.wait_for(lambda: "Start done" in shop.done(), "start")
        shop.ctl("pause")
        assert "Pause done" in shop.done() and shop.state() == "background"
        shop.wait_for(lambda: shop.says("(ENOSPC), the pause ends with this process"), "say that it cannot keep the pause")
        shop.host.systemctl("restart", shop.name)
        shop.wait_until_up()
        assert shop.state() == "active" and "Resume" not in shop.done()
        shop.host.systemctl("stop", shop.unit.name)
        assert shop.done()[-3:] == ["Stop", "Stop done", "unit ended"]


def test_a_stop_that_a_full_disk_does_not_record_is_complete(shop):
    with full_disk(shop, "/var/lib/belfry@shop", "belfry"):
        shop.wait_for(lambda: "Start done" in shop.done(), "start")
        shop.host.systemctl("stop", shop.unit.name)
        assert shop.done()[-3:] == ["Stop", "Stop done", "unit ended"]
        assert shop.says("No space left on device (ENOSPC)")
        shop.begin()
        shop.wait_for(lambda: shop.done().count("Start done") == 2, "start again")


def test_a_stop_that_a_full_disk_does_not_mark_is_told(shop):
    """The mark undoes Stop= if the stop is called off and the process ends."""
    with full_disk(shop, "/run/belfry@shop", "belfry"):
        shop.wait_for(lambda: "Start done" in shop.done(), "start")
        shop.host.systemctl("stop", shop.unit.name)
        assert shop.done()[-3:] == ["Stop", "Stop done", "unit ended"]
        mark = "unable to write '/run/belfry@shop/unit-run.new': No space left on device (ENOSPC)"
        assert shop.says(f"{mark}, Start= and Resume= may run again")


def test_a_run_that_cannot_be_read_is_told_and_start_runs_again(shop):
    shop.begin()
    shop.wait_for(lambda: "Start done" in shop.done(), "start")
    shop.host.run("ln", "-sf", "/dev/null", "/run/belfry@shop/unit-run")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    shop.wait_for(lambda: shop.done().count("Start done") == 2, "start again")
    link = "unable to open '/run/belfry@shop/unit-run': Too many levels of symbolic links (ELOOP)"
    assert shop.says(f"{link}, Start= and Resume= may run again")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    shop.host.systemctl("stop", shop.unit.name)
    assert shop.done().count("Start") == 2


def test_enable_on_a_full_disk_leaves_nothing_behind(on_each):
    on_each.host.run("mount", "-t", "tmpfs", "-o", "nr_inodes=1,mode=0755", "tmpfs", FOLDER)
    try:
        answer = on_each.host.run("belfryctl", "enable", "nginx", check=False)
        reason = f"unable to make '{FOLDER}/nginx.conf': No space left on device (ENOSPC)"
        assert (answer.returncode, answer.stdout, answer.stderr) == (71, "", f"{reason}\n")
        assert list(on_each.host.path(FOLDER).iterdir()) == []
    finally:
        on_each.host.run("umount", FOLDER)
    assert on_each.host.systemctl("show", "--property=LoadState", "--value", "belfryd@nginx").stdout == "loaded\n"
    assert on_each.host.systemctl("show", "--property=SourcePath", "--value", "belfryd@nginx").stdout == "\n"


def test_enable_says_that_the_generator_could_not_write(shop):
    shop.host.run("mount", "-t", "tmpfs", "-o", "nr_inodes=1,mode=0755", "tmpfs", "/run/systemd/generator")
    try:
        shop.host.systemctl("daemon-reload")
        shop.host.systemctl("start", shop.unit.name)
        answer = shop.host.run("belfryctl", "enable", "shop", check=False)
        assert answer.returncode == 71
        assert answer.stderr == "'belfryd@shop.service' was not generated, see 'journalctl -t belfry-generator'\n"
        records = shop.host.journal("--identifier=belfry-generator", "--lines=1")
        assert "No space left on device (ENOSPC)" in records[-1]["MESSAGE"]
        assert shop.property("ActiveState") == "inactive"
    finally:
        shop.host.run("umount", "/run/systemd/generator")
        shop.host.systemctl("daemon-reload")
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
