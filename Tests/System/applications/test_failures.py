# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A command that has failed counts until it succeeds, whatever else succeeds meanwhile, and whoever restarts Belfry."""

import re

import pytest
from application import Application

FULL = "/srv/shop.full"


@pytest.fixture
def shop(on_each):
    fails = f"/bin/sh -c 'test ! -e {FULL}.{{0}} || {{{{ echo no room >&2; exit 1; }}}}; echo {{0}} >>/srv/shop.log'"
    verbs = ("Start", "Pause", "Resume", "Reload", "Degraded", "Healthy")
    shop = Application(on_each.host, CheckReload="", **{verb: fails.format(verb) for verb in verbs})
    shop.write_unit()
    shop.write()
    shop.begin()
    try:
        yield shop
    finally:
        for verb in (*verbs, "Health"):
            fail(shop, verb, False)
        shop.remove()


def fail(shop: Application, verb: str, does: bool = True) -> None:
    path = shop.host.path(f"{FULL}.{verb}")
    if does:
        path.touch()
    else:
        path.unlink(missing_ok=True)


def wait_for(shop: Application, *failed: str) -> None:
    """These commands have failed, and nothing else is wrong."""
    text = "active\n" + "".join(rf"{verb}= failed \d{{4}}-\S+Z: shop: {verb}=: no room\n" for verb in sorted(failed))
    answer = lambda: shop.ctl("is-active", check=False)  # noqa: E731
    shop.wait_for(lambda: re.fullmatch(text, answer().stdout), f"say that {failed} have failed")
    assert answer().returncode == (1 if failed else 0)
    wrong = shop.host.run("belfryctl", "list", "--failed", check=False)
    assert wrong.stdout.splitlines() == [f"belfryd@shop: {line}" for line in answer().stdout.splitlines()[1:]]
    assert shop.property("StatusText").startswith("active")


def test_a_success_of_another_command_hides_no_failure(shop):
    wait_for(shop)
    fail(shop, "Reload")
    assert shop.ctl("reload", check=False).returncode == 1
    wait_for(shop, "Reload")
    shop.ctl("flush")
    wait_for(shop, "Reload")
    # A pause and its end, which fails once.
    fail(shop, "Resume")
    shop.ctl("pause")
    assert shop.ctl("resume", check=False).returncode == 1
    wait_for(shop, "Resume", "Reload")
    fail(shop, "Resume", False)
    shop.ctl("pause")
    shop.ctl("resume")
    wait_for(shop, "Reload")
    fail(shop, "Reload", False)
    shop.ctl("reload")
    wait_for(shop)
    assert shop.done() == ["Start", "Flush", "Pause", "Pause", "Resume", "Reload"]


def test_a_failure_is_known_after_a_restart_of_belfry_and_ends_with_the_run_of_the_unit(shop):
    fail(shop, "Start")
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_until_up()
    wait_for(shop, "Start")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    wait_for(shop, "Start")
    shop.kill("KILL")
    shop.wait_until_up()
    wait_for(shop, "Start")
    fail(shop, "Start", False)
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_until_up()
    wait_for(shop)


def test_a_pause_that_failed_ends_with_its_process(shop):
    fail(shop, "Pause")
    assert shop.ctl("pause", check=False).returncode == 1
    assert "Pause= failed " in shop.ctl("is-active", check=False).stdout
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    wait_for(shop)


def test_a_pause_that_belfry_does_not_survive_has_failed_and_is_run_again(shop):
    slow = f"/bin/sh -c 'echo Pause >>{shop.log}; {shop.at_gate}; test ! -e {FULL}.Pause'"
    shop.commands["Pause"] = slow
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    fail(shop, "Pause")
    shop.close_gate()
    shop.host.systemctl("kill", "--signal=TSTP", shop.name)
    shop.wait_for(lambda: "Pause" in shop.done(), "run Pause=")
    shop.kill("KILL")
    shop.open_gate()
    shop.wait_until_up()
    assert "Pause= failed " in (answer := shop.ctl("is-active", check=False).stdout) and "Pause= ran when belfryd ended" in answer
    fail(shop, "Pause", False)
    shop.ctl("pause")
    assert shop.done().count("Pause") == 2 and shop.ctl("is-active", check=False).stdout == "paused (background)\n"
    shop.ctl("resume")
    wait_for(shop)


def test_a_stop_that_belfry_does_not_survive_has_failed(shop):
    shop.commands["Stop"] = f"/bin/sh -c 'echo Stop >>{shop.log}; {shop.at_gate}; exit 1'"
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.close_gate()
    shop.host.systemctl("stop", "--no-block", shop.unit.name)
    shop.wait_for(lambda: "Stop" in shop.done(), "run Stop=")
    shop.host.systemctl("kill", "--signal=KILL", shop.name)
    shop.open_gate()
    shop.wait_for(lambda: shop.unit.property("ActiveState") == "inactive", "end")
    shop.begin()
    wrong = shop.host.run("belfryctl", "list", "--failed", check=False)
    assert re.fullmatch(r"belfryd@shop: Stop= failed \S+Z: Stop= ran when belfryd ended\n", wrong.stdout), wrong.stdout
    assert shop.ctl("is-active").stdout == "active\n"


def test_enable_does_not_count_what_failed_before(shop):
    shop.commands["Flush"] = "/bin/false"
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.ctl("flush", check=False)
    shop.commands["Flush"] = "/bin/true"
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    assert "\nFlush= failed" in shop.ctl("is-active", check=False).stdout
    shop.ctl("flush")
    wait_for(shop)


def test_a_failed_alert_is_no_failure_of_the_application(shop):
    fail(shop, "Degraded")
    fail(shop, "Healthy")
    shop.options = "HealthInterval=1s\nHealthRetries=1"
    shop.commands["Health"] = f"/bin/sh -c 'test ! -e {FULL}.Health'"
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    fail(shop, "Health")
    shop.wait_for(lambda: shop.says("listener 'shop' failed at unitDidDegrade: Degraded=: no room"), "try to alert")
    fail(shop, "Health", False)
    shop.wait_for(lambda: shop.ctl("is-active", check=False).stdout == "active\n", "work again")
    shop.wait_for(lambda: shop.says("listener 'shop' failed at unitDidRecover: Healthy=: no room"), "try to tell of the recovery")
    wrong = shop.host.run("belfryctl", "list", "--failed", check=False)
    lines = [rf"belfryd@shop: {verb}= failed \S+Z: shop: {verb}=: no room\n" for verb in ("Degraded", "Healthy")]
    assert re.fullmatch("".join(lines), wrong.stdout), wrong.stdout
    # A success of one makes up for the other.
    fail(shop, "Healthy", False)
    shop.ctl("post", "unitDidRecover", "--wait")
    assert shop.host.run("belfryctl", "list", "--failed").stdout == ""


def test_the_instance_decides_what_is_run_and_its_program_says_what_it_does_not_know(shop):
    """Only the program has read the new file."""
    shop.commands["Flush"] = ""
    shop.write()
    shop.host.systemctl("restart", shop.listener.name)
    shop.wait_until_up()
    doubt = "belfry-listener@shop.service has read another file, run 'belfryctl enable shop'"
    assert shop.ctl("is-active", check=False).stdout == f"active\napplication is degraded: Flush= may not run: {doubt}\n"
    answer = shop.ctl("flush", check=False)
    told = f", {doubt}, Flush= does not run\n"
    assert answer.returncode == 1 and answer.stdout.endswith(told)
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    wait_for(shop)
