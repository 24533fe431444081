# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application whose file cannot be read, or is gone, is told as such, and its instance is never one without an application."""

import pytest
from application import FOLDER, VERBS, Application
from belfry_instance import BelfryInstance

FILE = f"{FOLDER}/shop.conf"
CURE = f"rm -rf {FILE} {FILE}.d /srv/closed; chmod 755 {FOLDER}"
DROP_INS = "/etc/systemd/system/belfryd@shop.service.d"


@pytest.fixture
def shop(on_each):
    """An application that works. Its commands run as a user without privileges."""
    shop = Application(on_each.host, **dict.fromkeys(VERBS, "true"))
    try:
        shop.write_unit()
        shop.write(user="redis")
        shop.begin()
        shop.listener.skip_old_records()
        yield shop
    finally:
        shop.host.run("sh", "-c", f"{CURE}; rm -rf {DROP_INS}")
        shop.remove()


def listed(shop: Application) -> list[str]:
    lines = shop.host.run("belfryctl", "list").stdout.splitlines()
    return [" ".join(line.split()) for line in lines if line.startswith(f"belfryd@{shop.instance} ")]


def check_that_it_failed(shop: Application, path: str) -> None:
    shop.wait_for(lambda: shop.property("ActiveState") == "failed", "fail")
    assert shop.property("ExecMainStatus") == "78"
    assert shop.property("StatusText").startswith("configuration refused: ") and path in shop.property("StatusText")
    assert shop.says(path)


def check_that_nothing_is_green(shop: Application, path: str) -> None:
    shop.host.systemctl("restart", shop.unit.name)
    check_that_it_failed(shop, path)
    for command in ("is-active", "pause", "reload"):
        answer = shop.ctl(command, check=False)
        assert answer.returncode == 69 and "belfryd@shop" in answer.stderr, answer
    [line] = listed(shop)
    assert line.startswith("belfryd@shop - - - - failed (exit-code): configuration refused: ") and path in line


# Root can read them, so that belfry-generator does what it always does.
CLOSED = [
    (f"chmod 600 {FILE}", FILE),
    (f"chmod 700 {FOLDER}", FILE),
    (f"mkdir {FILE}.d; printf '[On]\\nWake=true\\n' >{FILE}.d/a.conf; chmod 600 {FILE}.d/a.conf", f"{FILE}.d/a.conf"),
    (f"mkdir -m 700 {FILE}.d", f"{FILE}.d"),
    (f"mkdir -m 700 /srv/closed; mv {FILE} /srv/closed; ln -s /srv/closed/shop.conf {FILE}", FILE),
]
# systemd has not been told.
GONE = [(f"rm {FILE}", FILE), (f"rm {FILE}; mkdir {FILE}", FILE), (f"ln -sf /nowhere {FILE}", FILE)]


@pytest.mark.parametrize(("change", "path"), CLOSED + GONE)
def test_what_cannot_be_read_is_told_before_and_fails(shop, change, path):
    pid = shop.main_pid()
    shop.host.run("sh", "-ec", change)
    for command in ("check", "enable"):
        answer = shop.host.run("belfryctl", command, "shop", check=False)
        assert answer.returncode == 78 and path in answer.stderr, answer
        if (change, path) in CLOSED:
            for user in ("'belfry' of belfryd@shop.service", "'redis' of belfry-listener@shop.service"):
                assert f"error: user {user} cannot " in answer.stderr
    for options in ([], ["--dry-run"]):
        answer = shop.ctl("reload", *options, check=False)
        assert answer.returncode == 78 and path in answer.stderr, answer
    # It goes on with what it has read, and so do its commands.
    assert shop.main_pid() == pid and shop.ctl("pause").stdout == "paused (background)\n"

    check_that_nothing_is_green(shop, path)
    shop.listener.wait_for(lambda: shop.listener.property("ActiveState") == "failed", "fail")
    assert shop.listener_says(path) and not shop.listener_says("listeners.d")

    shop.host.run("sh", "-c", CURE)
    shop.write(user="redis")
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    # The run of the unit is a new one, which ends the pause.
    shop.wait_for(lambda: shop.ctl("is-active", check=False).returncode == 0, "work again")


def test_a_file_that_only_the_listener_cannot_read_is_told(shop):
    shop.host.run("sh", "-ec", f"chgrp belfry {FILE}; chmod 640 {FILE}")
    shop.host.write("/etc/systemd/system/belfry-listener@shop.service.d/rights.conf", "[Service]\nSupplementaryGroups=\n")
    try:
        shop.host.systemctl("daemon-reload")
        for command in ("check", "enable"):
            answer = shop.host.run("belfryctl", command, "shop", check=False)
            assert answer.returncode == 78 and f"of belfry-listener@shop.service cannot read '{FILE}'" in answer.stderr
            assert "of belfryd@shop.service" not in answer.stderr
    finally:
        shop.host.run("rm", "-r", "/etc/systemd/system/belfry-listener@shop.service.d")


def test_a_command_line_of_the_site_changes_nothing(shop):
    command = "/usr/bin/belfryd --instance %i --log-level debug"
    shop.host.write(f"{DROP_INS}/override.conf", f"[Service]\nExecStart=\nExecStart={command}\nEnvironment=TZ=UTC\n")
    shop.host.systemctl("daemon-reload")
    shop.host.run("rm", FILE)
    check_that_nothing_is_green(shop, FILE)


def test_an_instance_of_which_systemd_knows_nothing_fails_too(shop):
    shop.host.systemctl("stop", shop.unit.name)
    shop.host.run("sh", "-ec", f"rm {FILE}; mkdir {FILE}")
    shop.host.systemctl("daemon-reload")
    assert shop.property("SourcePath") == ""
    assert shop.host.systemctl("start", shop.name, check=False).returncode != 0
    check_that_it_failed(shop, FILE)
    assert listed(shop) == ["belfryd@shop - - - - error in its file, see 'belfryctl check shop' -"]
    answer = shop.host.run("belfryd", "--instance", "shop", "--check-config", check=False)
    assert answer.returncode == 78 and f"unable to read '{FILE}'" in answer.stderr


def test_an_instance_without_an_application_does_not_need_the_folder(shop):
    video = BelfryInstance(shop.host, "video")
    shop.host.run("chmod", "700", FOLDER)
    try:
        video.start()
        assert video.ctl("is-active").stdout == "active\n"
        video.ctl("reload")
    finally:
        video.remove()


def test_an_application_that_comes_later_is_told_at_a_reload(on_each):
    shop = Application(on_each.host)
    try:
        shop.write_unit()
        shop.host.systemctl("daemon-reload")
        shop.host.systemctl("start", shop.unit.name, shop.name)
        shop.ctl("reload")
        shop.write()
        answer = shop.ctl("reload", check=False)
        assert answer.returncode == 78
        assert f"{FILE}:1:1: error: it has changed since the start, 'belfryctl enable shop' applies it" in answer.stderr
        shop.host.run("belfryctl", "enable", "shop")
        shop.wait_until_up()
        shop.ctl("reload")
        # What would run is not what the file says now.
        shop.commands["Reload"] = f"/bin/sh -c 'echo new >>{shop.log}'"
        shop.write()
        for more in ([], ["--dry-run"]):
            assert "error: it has changed since the start" in shop.ctl("reload", *more, check=False).stderr
        shop.host.run("belfryctl", "enable", "shop")
        shop.wait_until_up()
        shop.ctl("reload")
        assert shop.done()[-1] == "new"
    finally:
        shop.remove()
