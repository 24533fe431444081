# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application works for each user of its commands, and says so if its socket cannot be reached."""

import pytest
from application import VERBS, Application

DIRECTORY = "/run/belfry@shop"
SOCKET = f"{DIRECTORY}/io.belfry.Lifecycle"
NO_DIRECTORY, IN_USE = "Not a directory (ENOTDIR)", "Address already in use (EADDRINUSE)"
ABSENT = "belfry-listener@shop.service is not attached"


def application(belfry, user: str) -> Application:
    shop = Application(belfry.host, **{verb: f"/bin/echo {verb}" for verb in VERBS})
    shop.listener.skip_old_records()
    shop.write_unit()
    shop.write(user)
    return shop


@pytest.fixture
def shop(on_each):
    shop = application(on_each, "www-data")
    drop_in = shop.host.path(f"/run/systemd/system/{shop.listener.name}.d/test.conf")
    try:
        shop.begin()
        yield shop
    finally:
        drop_in.unlink(missing_ok=True)
        shop.host.run("sh", "-c", f"test -d {DIRECTORY} || rm -f {DIRECTORY}; test -f {SOCKET} && rm {SOCKET}", check=False)
        shop.remove()


def ran(shop: Application) -> list[str]:
    return [text.split("=")[0] for text in shop.listener.messages() if "= ran '/bin/echo " in text]


@pytest.mark.parametrize("user", ["root", "www-data", ""], ids=["root", "user", "dynamic"])
def test_commands_of_each_user_run_without_the_group(on_each, user):
    shop = application(on_each, user)
    try:
        shop.begin()
        shop.wait_for(lambda: ran(shop) == ["Start"], "run Start=")
        assert str(shop.group()) not in shop.listener.process_status()["Groups"].split()
        for command in ("pause", "resume", "reload", "flush"):
            shop.ctl(command)
        shop.host.systemctl("stop", shop.unit.name)
        assert ran(shop) == ["Start", "Pause", "Resume", "CheckReload", "Reload", "Flush", "Stop"]
    finally:
        shop.remove()


def test_the_program_is_known_again_after_each_restart(shop):
    for unit in (shop, shop.listener):
        shop.host.systemctl("restart", unit.name)
        shop.wait_until_up()
        unit.kill("KILL")
        shop.wait_for(lambda one=unit: one.property("NRestarts") == "1", "start again")
        shop.wait_until_up()
        shop.ctl("pause")
        shop.ctl("resume")


def recovers(shop: Application) -> None:
    """With the directory as it should be, both are there again."""
    shop.host.systemctl("reset-failed", shop.name, shop.listener.name, check=False)
    shop.host.systemctl("restart", shop.name, shop.listener.name)
    shop.wait_until_up()
    shop.ctl("pause")
    assert ran(shop)[-1] == "Pause"


def test_a_directory_that_is_hidden_from_the_program(shop):
    hidden = f"/run/systemd/system/{shop.listener.name}.d/test.conf"
    shop.host.write(hidden, f"[Service]\nInaccessiblePaths={DIRECTORY}\n")
    shop.host.systemctl("daemon-reload")
    shop.host.systemctl("restart", shop.listener.name, check=False)
    shop.wait_for(lambda: shop.listener.property("ActiveState") == "failed", "do without its program")
    assert shop.listener.property("ExecMainStatus") == "77"
    assert shop.listener_says(f"unable to connect to '{SOCKET}': Permission denied (EACCES)")
    answer = shop.ctl("is-active", check=False)
    assert (answer.returncode, answer.stdout) == (1, f"active\napplication is degraded: {ABSENT}\n")
    answer = shop.ctl("pause", check=False)
    assert answer.returncode == 1 and f"{ABSENT}, Pause= does not run" in answer.stderr
    shop.host.path(hidden).unlink()
    shop.host.systemctl("daemon-reload")
    recovers(shop)


def test_a_directory_that_is_gone(shop):
    shop.host.run("rm", "-r", DIRECTORY)
    gone = f"unable to connect to '{SOCKET}': No such file or directory (ENOENT)"
    answer = shop.ctl("status", check=False)
    assert answer.returncode == 69 and gone in answer.stderr
    shop.host.systemctl("restart", shop.listener.name)
    shop.wait_for(lambda: shop.listener_says(f"{gone}, waiting for it"), "say what its program waits for")
    assert shop.listener.property("ActiveState") == "active"
    # systemd makes it again.
    recovers(shop)


@pytest.mark.parametrize(
    "path, status, service, said, program",
    [
        (DIRECTORY, "233", "RUNTIME_DIRECTORY", f"{NO_DIRECTORY}, waiting for it", NO_DIRECTORY),
        # The file belongs to root, to whom nobody listens there.
        (SOCKET, "71", f"unable to listen on '{SOCKET}': {IN_USE}", "Permission denied (EACCES)", "Connection refused (ECONNREFUSED)"),
    ],
    ids=["directory", "socket"],
)
def test_a_file_in_its_place(shop, path, status, service, said, program):
    shop.host.systemctl("stop", shop.unit.name)
    shop.host.run("rm", "-rf", path)
    shop.host.write(path, "")
    shop.host.systemctl("start", shop.unit.name)
    shop.wait_for(lambda: shop.property("ExecMainStatus") == status, "say that it cannot start")
    shop.wait_for(lambda: shop.says(service), f"say '{service}'")
    shop.wait_for(lambda: shop.listener_says(f"unable to connect to '{SOCKET}': {said}"), f"have its program say '{said}'")
    answer = shop.ctl("status", check=False)
    assert answer.returncode == 69 and program in answer.stderr
    assert shop.unit.property("ActiveState") == "active"
    shop.host.run("rm", path)
    recovers(shop)
