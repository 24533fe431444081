# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`ReloadUnit=yes`: `systemctl reload` of the unit asks Belfry, and says so when it does not."""

import re
from contextlib import contextmanager

import pytest
from application import Application

OWN = "ExecReload=/bin/sh -c 'echo own >>/srv/shop.log'\n"
SITE = "/etc/systemd/system/shop.service.d"


def make(host) -> Application:
    shop = Application(host, options="ReloadUnit=yes")
    shop.write_unit(OWN)
    return shop


@pytest.fixture
def shop(on_each):
    """An application whose unit has an ExecReload= of its own."""
    shop = make(on_each.host)
    try:
        yield shop
    finally:
        shop.host.run("rm", "-rf", SITE)
        shop.remove()


@pytest.fixture
def running(shop):
    shop.write()
    shop.begin()
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.clear()
    return shop


@pytest.mark.parametrize(
    "key, reason",
    [
        ("Reload", "with 'ReloadUnit' its systemctl runs 'Reload' again, without end"),
        ("CheckReload", "with 'ReloadUnit' its systemctl runs 'CheckReload' again, without end"),
        ("Pause", "systemctl waits for the reload of 'shop.service', which waits for this: use --no-block"),
        ("MemoryWarning", "systemctl waits for the reload of 'shop.service', which waits for this: use --no-block"),
    ],
)
def test_a_command_that_waits_for_the_reload_of_its_own_unit_is_an_error(shop, key, reason):
    shop.commands[key] = "systemctl reload shop"
    shop.write()
    for command in ("check", "enable"):
        answer = shop.host.run("belfryctl", command, "shop", check=False)
        assert answer.returncode == 78 and reason in answer.stderr


def test_a_reload_that_a_command_does_not_wait_for_follows_it(shop):
    shop.commands["Pause"] = "systemctl --no-block reload shop"
    shop.write()
    shop.begin()
    assert shop.ctl("pause").stdout == "paused (background)\n"
    shop.wait_for(lambda: shop.done() == ["Start", "CheckReload", "Reload"], "reload")


def reload(shop: Application) -> bool:
    return shop.host.systemctl("reload", shop.unit.name, check=False).returncode == 0


def command(shop: Application) -> list[str]:
    """What `ExecReload=` of the unit is, without its last run."""
    return re.findall(r"argv\[\]=(.*?) ; ", shop.host.systemctl("show", "--property=ExecReload", shop.unit.name).stdout)


@contextmanager
def drop_in(shop: Application, name: str, text: str):
    """A drop-in that the site has for the unit."""
    shop.host.write(f"{SITE}/{name}", f"[Service]\n{text}")
    shop.host.systemctl("daemon-reload")
    try:
        yield
    finally:
        shop.host.run("rm", "-r", SITE)
        shop.host.systemctl("daemon-reload")


def is_active(shop: Application) -> tuple[int, str]:
    answer = shop.ctl("is-active", check=False)
    return answer.returncode, answer.stdout


def apply(shop: Application) -> None:
    """Puts changed commands into use."""
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    shop.unit.skip_old_records()


def test_a_reload_is_checked_and_a_refused_one_fails_with_its_reason(running):
    pid = running.unit.main_pid()
    assert reload(running) and running.done() == ["CheckReload", "Reload"]
    running.clear()
    running.commands["CheckReload"] = "/bin/sh -c 'echo shop.conf:7: no such word >&2; exit 1'"
    apply(running)
    assert not reload(running)
    assert running.done() == [] and running.unit.main_pid() == pid
    assert any("shop.conf:7: no such word" in message for message in running.unit.messages())
    assert running.unit.property("ActiveState") == "active"


def test_a_reload_that_fails_is_no_success(running):
    running.commands["Reload"] = "/bin/sh -c 'echo the disk is full >&2; exit 1'"
    apply(running)
    assert not reload(running)
    assert any("the disk is full" in message for message in running.unit.messages())


def test_neither_the_user_nor_the_sandbox_of_the_unit_prevents_it(shop):
    shop.write_unit(
        "User=nobody\nPrivateUsers=yes\nNoNewPrivileges=yes\nRestrictAddressFamilies=AF_INET\nCapabilityBoundingSet=\n"
        "ProtectSystem=strict\nInaccessiblePaths=-/run/belfry@shop\nEnvironment=BELFRY_SOCKET=/nowhere\n"
    )
    shop.write()
    shop.begin()
    assert reload(shop)
    shop.wait_for(lambda: "Reload" in shop.done(), "run Reload=")


def test_without_belfry_it_fails_and_says_how_to_reload(running):
    running.host.systemctl("stop", running.name)
    running.unit.skip_old_records()
    assert not reload(running) and running.done() == []
    assert any(f"; to reload without it: {running.commands['Reload']}" in message for message in running.unit.messages())
    # Without the commands, nothing is reloaded either.
    running.host.run("belfryctl", "enable", "shop")
    running.wait_until_up()
    running.host.systemctl("stop", running.listener.name)
    assert not reload(running) and running.done() == []
    assert any("belfry-listener@shop.service is not attached" in message for message in running.unit.messages())


@pytest.mark.parametrize(
    "text",
    ["ExecReload=\nExecReload=/bin/sh -c 'echo site >>/srv/shop.log'\n", "ExecReload=\n"],
    ids=["replaced", "removed"],
)
def test_a_drop_in_that_bypasses_it_is_told_until_it_is_gone(running, text):
    bypass = "'systemctl reload shop.service' bypasses Belfry, see ExecReload= in 'systemctl cat shop.service'"
    assert is_active(running) == (0, "active\n")
    with drop_in(running, "zzz.conf", text):
        running.wait_for(lambda: is_active(running)[0] == 1, "notice the drop-in")
        assert is_active(running)[1] == f"active\napplication is degraded: {bypass}\n"
        assert bypass in running.property("StatusText") and running.says(f"listener 'application' is degraded: {bypass}")
        answer = running.host.run("belfryctl", "enable", "shop", check=False)
        assert answer.returncode == 78 and answer.stderr == f"{bypass}\n"
    running.wait_for(lambda: is_active(running)[0] == 0, "notice that the drop-in is gone")
    running.clear()
    assert reload(running) and running.done() == ["CheckReload", "Reload"]


@pytest.mark.parametrize(
    ("name", "text"),
    [("override.conf", "ExecReload=\nExecReload=/bin/false\n"), ("zzz.conf", "ExecReload=/bin/true\n")],
    ids=["as systemctl edit names it", "for more after the reload"],
)
def test_other_drop_ins_do_not_bypass_it(running, name, text):
    with drop_in(running, name, text):
        assert reload(running) and running.done() == ["CheckReload", "Reload"]
        assert is_active(running) == (0, "active\n")


def test_disable_and_the_removal_of_the_file_give_the_unit_back(shop):
    shop.host.systemctl("daemon-reload")
    before = command(shop)
    assert len(before) == 1 and "own" in before[0]
    shop.write()
    assert command(shop) == ["belfryctl -i shop reload"]
    shop.begin()
    answer = shop.host.run("belfryctl", "disable", "shop")
    assert "shop: begins again when its unit starts, and 'systemctl reload' of it fails until then; to prevent that:" in answer.stderr
    assert not reload(shop)
    shop.host.path(shop.file).unlink()
    shop.host.systemctl("daemon-reload")
    assert command(shop) == before and "zz-belfry" not in shop.unit.property("DropInPaths")
    shop.clear()
    assert reload(shop) and shop.done() == ["own"]


def test_an_error_in_the_file_leaves_the_unit_as_it_was(shop):
    shop.commands["Reload"] = f"systemctl --no-block reload {shop.unit.name}"
    shop.write()
    assert len(command(shop)) == 1 and "own" in command(shop)[0]
    for verb in ("check", "enable"):
        answer = shop.host.run("belfryctl", verb, "shop", check=False)
        assert answer.returncode == 78 and "shop.conf:4:1: error: with 'ReloadUnit' its systemctl runs 'Reload' again" in answer.stderr


def refuses(shop: Application, message: str) -> None:
    shop.write()
    for verb in ("check", "enable"):
        answer = shop.host.run("belfryctl", verb, "shop", check=False)
        assert answer.returncode == 78 and message in answer.stderr


@pytest.mark.parametrize("key", ["RootDirectory", "RootImage"])
def test_a_unit_with_another_root_is_refused(shop, key):
    shop.write_unit(f"{key}=/srv\n")
    refuses(shop, f"shop.service has {key}=, from where 'ReloadUnit' cannot reach Belfry")


def test_a_unit_to_which_systemd_sends_the_signal_first_is_refused(belfry_on_trixie):
    shop = make(belfry_on_trixie.host)
    try:
        shop.write_unit("Type=notify-reload\n")
        refuses(shop, "with Type=notify-reload shop.service reloads before 'ReloadUnit' can check: set Type=notify in a drop-in")
        with drop_in(shop, "type.conf", "Type=notify\n"):
            shop.host.run("belfryctl", "check", "shop")
    finally:
        shop.remove()
