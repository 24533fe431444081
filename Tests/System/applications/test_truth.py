# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""What an instance says is about its application: whether its unit runs, its commands can run, and it works."""

import re

import pytest
from application import Application
from documentation import code_block

SICK = "/srv/shop.sick"
HEALTH = f"/bin/sh -c 'echo look >>/srv/shop.looks; test ! -e {SICK} || {{ echo it is sick >&2; exit 1; }}'"


@pytest.fixture
def shop(on_each):
    shop = Application(on_each.host, options="HealthInterval=1s", Health=HEALTH)
    shop.write_unit()
    shop.write()
    shop.begin()
    shop.ill, shop.looks = shop.host.path(SICK), shop.host.path("/srv/shop.looks")
    try:
        yield shop
    finally:
        shop.ill.unlink(missing_ok=True)
        shop.looks.unlink(missing_ok=True)
        shop.remove()


def is_active(shop: Application) -> tuple[int, str]:
    answer = shop.ctl("is-active", check=False)
    return answer.returncode, answer.stdout


def wait_for_health(shop: Application) -> None:
    shop.wait_for(lambda: is_active(shop) == (0, "active\n"), "be healthy")


def test_three_failures_in_a_row_are_told_everywhere(shop):
    wait_for_health(shop)
    shop.ill.touch()
    shop.wait_for(lambda: is_active(shop)[0] == 1, "notice that the application does not work")
    assert is_active(shop)[1] == "active\nshop is degraded: Health= failed: it is sick\n"
    assert "listener 'shop' is degraded: Health= failed: it is sick" in shop.property("StatusText")
    assert shop.says("listener 'shop' is degraded: Health= failed: it is sick")
    shop.ill.unlink()
    shop.wait_for(lambda: is_active(shop)[0] == 0, "notice that it works again")
    assert shop.says("listener 'shop' is healthy again") and shop.property("NRestarts") == "0"


def enable_again(shop: Application, options: str) -> tuple[int, str]:
    shop.options = options
    shop.write()
    answer = shop.host.run("belfryctl", "enable", "shop", check=False)
    return answer.returncode, answer.stderr


def test_the_first_run_is_waited_for_and_its_time_is_shown(shop):
    # The next run is in an hour.
    assert enable_again(shop, "HealthInterval=1h") == (0, "")
    assert is_active(shop) == (0, "active\n")
    assert ", last healthy 20" in shop.ctl("status").stdout


def test_a_failure_that_does_not_count_yet_is_no_success(shop):
    assert enable_again(shop, "HealthInterval=1s\nHealthRetries=1000") == (0, "")
    shop.ill.touch()
    shop.wait_for(lambda: shop.listener_says("Health= failed: it is sick (1 of 1000)"), "fail once")
    healthy = re.compile(r"last healthy (\S+ \S+);")
    told = healthy.search(shop.ctl("status").stdout)[1]
    shop.looks.unlink()
    shop.wait_for(lambda: shop.looks.exists() and shop.looks.read_text().count("look") > 2, "look at the health again")
    assert is_active(shop) == (0, "active\n")
    assert healthy.search(shop.ctl("status").stdout)[1] == told


def test_until_it_has_worked_the_health_is_unknown_for_as_long_as_it_may_take_to_start(shop):
    shop.ill.touch()
    options = "HealthInterval=1s\nHealthRetries=1\nTimeout=3s\nHealthStart="
    why = "shop is unknown: Health= failed: it is sick\n"
    assert enable_again(shop, options + "1h") == (78, f"shop: {why}")
    shop.looks.unlink()
    shop.wait_for(lambda: shop.looks.exists() and shop.looks.read_text().count("look") > 2, "look at the health again")
    assert is_active(shop) == (1, f"active\n{why}")
    assert not shop.says("listener 'shop' is")
    shop.ill.unlink()
    wait_for_health(shop)
    # It has started, so a failure counts.
    shop.ill.touch()
    told = "shop is degraded: Health= failed: it is sick\n"
    shop.wait_for(lambda: is_active(shop) == (1, f"active\n{told}"), "notice that it works no longer")
    assert enable_again(shop, options + "0") == (78, f"shop: {told}")


def test_a_paused_application_has_no_health_yet_and_can_be_enabled(shop):
    wait_for_health(shop)
    shop.ctl("pause")
    assert enable_again(shop, "HealthInterval=1s") == (0, "")
    assert shop.host.run("belfryctl", "list", "--failed").stdout == ""
    shop.ctl("resume")
    wait_for_health(shop)


def test_a_change_of_the_health_is_told_once_with_its_reason_also_over_restarts(shop):
    shop.commands |= {verb: f"/bin/sh -c 'echo {verb} $$BELFRY_REASON >>{shop.log}'" for verb in ("Degraded", "Healthy")}
    degraded = "Degraded shop is degraded: Health= failed: it is sick"
    assert enable_again(shop, "HealthInterval=1s") == (0, "")
    shop.clear()
    shop.ill.touch()
    shop.wait_for(lambda: shop.done() == [degraded], "tell that it does not work")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    # Told by the next process of the instance, which has told nothing before.
    shop.wait_for(lambda: "shop is degraded" in is_active(shop)[1], "know it again")
    shop.ill.unlink()
    shop.wait_for(lambda: shop.done() == [degraded, "Healthy"], "tell that it works again")
    shop.ill.touch()
    shop.wait_for(lambda: shop.done() == [degraded, "Healthy", degraded], "tell that it does not work again")
    # The next run of the unit is told to work, and not once more that it does not.
    shop.host.systemctl("restart", "shop.service")
    shop.wait_until_up()
    shop.wait_for(lambda: "Health= failed: it is sick" in is_active(shop)[1], "look at the next run")
    shop.ill.unlink()
    shop.wait_for(lambda: shop.done()[-1] == "Healthy", "tell that the next run works")
    assert shop.done().count(degraded) == 2
    names = [record["BELFRY_NOTIFICATION"] for record in shop.notifications()]
    assert names.count("unitDidDegrade") == names.count("unitDidRecover") == 2


MAIL = "/etc/belfry/applications/redis.conf.d/mail.conf"
# Takes one mail, and prints it.
MAIL_SERVER = """
import socket
server = socket.create_server(("127.0.0.1", 25))
print("ready", flush=True)
connection, _ = server.accept()
stream = connection.makefile("rw", newline="\\r\\n")
def say(text):
    stream.write(text + "\\n")
    stream.flush()
say("220 test")
while line := stream.readline():
    if line.upper().startswith("DATA"):
        say("354 go on")
        while (line := stream.readline()).rstrip() != ".":
            print(line.rstrip(), flush=True)
        say("250 taken")
    elif line.upper().startswith("QUIT"):
        say("221 bye")
        break
    else:
        say("250 yes")
"""


def test_the_mail_of_the_page_is_sent(shop):
    text = code_block("ini", f"# {MAIL}\n").split("[On]\n")[1]
    shop.commands |= dict(line.split("=", 1) for line in text.splitlines() if line)
    with shop.host.running("python3", "-c", MAIL_SERVER) as server:
        assert server.stdout.readline() == "ready\n"
        assert enable_again(shop, "HealthInterval=1s\nTimeout=20s") == (0, "")
        shop.ill.touch()
        mail = [server.stdout.readline() for _ in range(3)]
    assert mail == ["Subject: shop is degraded\n", "\n", "shop is degraded: Health= failed: it is sick\n"]


def test_a_failure_of_a_command_with_a_dash_is_none(shop):
    shop.commands |= {"Health": "-" + HEALTH, "Pause": "-/bin/sh -c 'echo it is busy >&2; exit 1'"}
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    shop.listener.skip_old_records()
    shop.ill.touch()
    looks = lambda: shop.looks.read_text().count("look") if shop.looks.exists() else 0  # noqa: E731
    seen = looks()
    shop.wait_for(lambda: looks() >= seen + 5, "look at the health")
    assert is_active(shop) == (0, "active\n")
    assert shop.ctl("pause").stdout == "paused (background)\n"
    lines = [record.get("MESSAGE", "") for record in shop.listener.journal()]
    assert "Pause= failed, ignoring: it is busy" in lines
    assert not [line for line in lines if "Health= failed" in line or "failed at" in line], lines


def test_one_failure_after_a_pause_is_enough_and_a_pause_is_not_looked_at(shop):
    shop.wait_for(shop.looks.exists, "look at the health")
    shop.ctl("pause")
    looks = shop.looks.read_text()
    shop.ill.touch()
    shop.wait_for(lambda: shop.state() == "background", "pause")
    shop.host.run("sleep", "2.5")
    assert shop.looks.read_text() == looks
    shop.ctl("resume")
    shop.wait_for(lambda: is_active(shop)[0] == 1, "notice that the application did not come back")
    assert shop.looks.read_text() == looks + "look\n"


def test_without_its_listener_nothing_is_said_to_be_done(shop):
    wait_for_health(shop)
    shop.host.systemctl("stop", shop.listener.name)
    absence = "belfry-listener@shop.service is not attached"
    assert is_active(shop) == (1, f"active\napplication is degraded: {absence}\n")
    answer = shop.ctl("pause", check=False)
    assert answer.returncode == 1
    assert f"listener 'application' failed at didEnterBackground: {absence}, Pause= does not run" in answer.stderr
    answer = shop.ctl("reload", check=False)
    assert answer.returncode == 78 and f"{absence}, CheckReload= does not run" in answer.stderr


def test_a_failed_command_is_named_by_its_key_and_told_again(shop):
    shop.commands |= {"Pause": "/bin/sh -c 'echo it is busy >&2; exit 1'", "Resume": ""}
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    failure = "belfryctl: listener 'shop' failed at didEnterBackground: Pause=: it is busy\n"
    for _ in ("first", "second"):
        answer = shop.ctl("pause", check=False)
        assert (answer.returncode, answer.stdout, answer.stderr) == (1, "paused (background)\n", failure)
    assert shop.property("StatusText").endswith(", listener 'shop' failed")
    # Without Resume= too, the end of the pause is the end of its failure.
    shop.ctl("resume")
    wait_for_health(shop)
    shop.ctl("pause", check=False)
    # It does not outlive the process, which the application would not have noticed.
    shop.commands["Pause"] = f"/bin/sh -c 'echo Pause >>{shop.log}'"
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    assert shop.state() == "active"
    answer = shop.ctl("pause")
    assert (answer.stdout, answer.stderr) == ("paused (background)\n", "") and shop.done()[-1] == "Pause"


def test_an_application_that_does_not_run_is_told_from_a_wrong_name(shop):
    shop.host.systemctl("stop", "shop.service")
    answer = shop.ctl("status", check=False)
    assert answer.returncode == 69
    assert "\nbelfryd@shop starts a moment after shop.service and stops with it, see 'systemctl status shop.service belfryd@shop', and " in answer.stderr
    assert "  shop.service is inactive (dead)  -" in shop.host.run("belfryctl", "list").stdout
    answer = shop.host.run("belfryctl", "-i", "shopp", "status", check=False)
    assert answer.returncode == 69 and "is belfryd@shopp running? see 'systemctl status belfryd@shopp'" in answer.stderr


def test_a_reload_that_no_command_does_is_refused(shop):
    shop.commands["Reload"] = ""
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    answer = shop.ctl("reload", check=False)
    assert answer.returncode == 78
    assert "Reload= is not set, shop.service keeps its configuration" in answer.stderr


def test_status_list_and_metrics_show_the_unit_and_its_health(shop):
    wait_for_health(shop)
    running = "shop.service is active (running)"
    assert running in shop.ctl("status").stdout
    listed = shop.host.run("belfryctl", "list").stdout
    assert "  healthy  " in listed and running in listed
    assert 'belfry_listener_healthy{service="belfryd@shop",listener="application"} 1' in shop.ctl("metrics").stdout
    shop.host.write("/etc/belfry/applications/other.conf", "[Application]\nUnit=other.service\n[On]\nPause=true\n")
    try:
        listed = shop.host.run("belfryctl", "list").stdout
        assert ["belfryd@other", "-", "-", "-", "-", "other.service", "is", "not", "there", "-"] in [line.split() for line in listed.splitlines()]
    finally:
        shop.host.path("/etc/belfry/applications/other.conf").unlink()
    shop.host.systemctl("stop", shop.listener.name)
    assert "  not healthy  " in shop.host.run("belfryctl", "list").stdout
    assert 'belfry_listener_healthy{service="belfryd@shop",listener="application"} 0' in shop.ctl("metrics").stdout
