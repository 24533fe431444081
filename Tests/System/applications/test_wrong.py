# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`belfryctl list --failed`: what is wrong on a host, with an exit status."""

import pytest
from application import Application


@pytest.fixture
def shop(on_each):
    shop = Application(on_each.host)
    shop.write_unit()
    shop.write()
    shop.begin()
    try:
        yield shop
    finally:
        shop.remove()


def wrong(shop: Application, *options: str) -> list[str]:
    """The lines, which the exit status has to fit."""
    done = shop.host.run("belfryctl", "list", "--failed", *options, check=False)
    assert done.returncode == (1 if done.stdout else 0), done.stderr
    return done.stdout.splitlines()


def test_a_pause_is_wrong_when_it_lasts_too_long(shop):
    assert wrong(shop) == []
    shop.ctl("pause", "--reason", "a backup")
    assert wrong(shop) == [] and wrong(shop, "--paused-for", "infinity") == []
    [line] = wrong(shop, "--paused-for", "1us")
    assert line.startswith("belfryd@shop: paused ") and line.endswith(": a backup")
    # Also while the instance does not run.
    shop.host.systemctl("stop", shop.name)
    alone, paused = wrong(shop, "--paused-for", "1us")
    assert alone == "belfryd@shop: shop.service is active (running), but not belfryd@shop, see 'belfryctl enable shop'"
    assert paused.startswith("belfryd@shop: paused ")


def test_commands_that_do_not_run_are_wrong(shop):
    shop.host.systemctl("stop", shop.listener.name)
    shop.wait_for(lambda: wrong(shop), "miss its program")
    assert wrong(shop) == ["belfryd@shop: application is degraded: belfry-listener@shop.service is not attached"]
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    assert wrong(shop) == []


def test_a_unit_without_its_application_is_wrong(shop):
    shop.host.systemctl("stop", shop.name)
    assert "but not belfryd@shop" in wrong(shop)[0]
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    assert wrong(shop) == []
    # Nor is an application that does not run.
    shop.host.systemctl("stop", shop.unit.name)
    assert wrong(shop) == []


def test_a_unit_that_has_failed_is_wrong(shop):
    shop.host.systemctl("kill", "--signal=KILL", shop.unit.name)
    shop.wait_for(lambda: shop.property("ActiveState") == "inactive", "end with its unit")
    assert wrong(shop) == ["belfryd@shop: shop.service is failed (Result: signal)"]
    shop.host.systemctl("reset-failed", shop.unit.name)
    assert wrong(shop) == []


def test_a_file_that_cannot_be_used_is_wrong(shop):
    shop.host.write(shop.file, "[Application]\nUnit=shop\n")
    shop.host.systemctl("restart", shop.name, check=False)
    shop.wait_for(lambda: shop.property("ActiveState") == "failed", "fail")
    assert wrong(shop)[0].startswith("belfryd@shop: failed (exit-code): ")
    shop.write()


def test_an_instance_that_hangs_is_not_said_to_be_gone(shop):
    shop.host.run("sh", "-c", f"kill -STOP {shop.main_pid()}")
    try:
        shop.wait_until_stopped()
        done = shop.host.run("belfryctl", "list", "--failed", "--timeout", "500ms", check=False)
        assert (done.returncode, done.stdout) == (1, "belfryd@shop: shop.service is active (running), but belfryd@shop does not reply\n")
        assert "no answer in 500 ms" in done.stderr
    finally:
        shop.host.run("sh", "-c", f"kill -CONT {shop.main_pid()}")


def test_an_instance_that_has_failed_and_is_to_start_again_is_wrong(shop):
    override = "/run/systemd/system/belfryd@shop.service.d/test.conf"
    shop.host.write(override, "[Service]\nRestartSec=10min\n")
    shop.host.systemctl("daemon-reload")
    try:
        shop.kill("KILL")
        shop.wait_for(lambda: shop.property("SubState") == "auto-restart", "end")
        assert wrong(shop) == ["belfryd@shop: shop.service is active (running), but not belfryd@shop, see 'belfryctl enable shop'"]
    finally:
        shop.host.path(override).unlink()
        shop.host.systemctl("daemon-reload")


def test_a_stop_that_is_held_is_wrong(shop):
    with shop.running_ctl("-i", shop.instance, "hold", "--reason", "backup", "--", "sh", "-c", "echo held; read _") as hold:
        assert hold.stdout.readline() == "held\n"
        assert wrong(shop) == []
        shop.host.systemctl("stop", "--no-block", shop.unit.name)
        shop.wait_for(lambda: wrong(shop), "wait")
        assert wrong(shop)[0].startswith("belfryd@shop: stop by SIGTERM ") and "waiting for 'backup'" in wrong(shop)[0]
        hold.stdin.write("\n")
        hold.stdin.flush()
        assert hold.wait(20) == 0
    shop.wait_for(lambda: shop.unit.property("ActiveState") == "inactive", "stop")


def test_a_socket_that_was_left_is_no_error(shop):
    override = "/run/systemd/system/belfryd@shop.service.d/test.conf"
    shop.host.write(override, "[Service]\nRestart=no\n")
    shop.host.systemctl("daemon-reload")
    try:
        shop.kill("KILL")
        shop.wait_for(lambda: shop.property("ActiveState") == "failed", "end")
        assert shop.socket_path().exists()
        done = shop.host.run("belfryctl", "list")
        assert done.stderr == "" and "belfryd@shop  -  " in done.stdout
        [line] = wrong(shop)
        assert line.startswith("belfryd@shop: failed (signal)")
    finally:
        shop.host.path(override).unlink()
        shop.host.systemctl("daemon-reload")


def test_stops_of_the_unit_are_told_from_those_of_belfry(shop):
    def last() -> str:
        return shop.host.run("belfryctl", "history", "shop", "-n", "1", "--on", "willTerminate").stdout

    shop.host.systemctl("stop", shop.name)
    assert "(the unit runs on)" in last()
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    shop.host.systemctl("stop", shop.unit.name)
    assert "unitJob=stop" in last() and "runs on" not in last()


def test_the_name_of_the_application_finds_nothing_of_belfry_in_the_journal(shop):
    shop.ctl("pause")
    shop.wait_for(lambda: shop.listener_says("Pause= ran"), "run Pause=")
    assert shop.host.journal("--identifier=shop", after=shop.cursor) == []
    assert any("Pause= ran" in record["MESSAGE"] for record in shop.host.journal("--identifier=belfry-listener@shop"))
