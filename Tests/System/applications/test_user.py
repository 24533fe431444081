# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application of a user, in the user's service manager."""

import pytest
from hosted_user import HostedUser

LOG = "shop.log"
FILE = f"""[Application]
Unit=shop.service
[On]
Start=/bin/sh -c 'echo Start >>$HOME/{LOG}'
Pause=/bin/sh -c 'echo Pause >>$HOME/{LOG}'
Stop=/bin/sh -c 'echo Stop >>$HOME/{LOG}'
"""


@pytest.fixture
def user(belfry):
    user = HostedUser(belfry.host, "anna")
    try:
        yield user
    finally:
        user.remove()


def test_an_application_of_a_user_follows_its_unit(user):
    unit = f"{user.home}/.config/systemd/user/shop.service"
    user.host.write(unit, "[Service]\nExecStart=/bin/sleep infinity\n")
    user.host.write(f"{user.home}/.config/belfry/applications/shop.conf", FILE)
    user.host.run("chown", "-R", "anna:", f"{user.home}/.config")
    user.shell("systemctl --user daemon-reload && systemctl --user start shop")
    user.shell("until systemctl --user --quiet is-active belfryd@shop; do sleep 0.1; done")
    assert user.shell("belfryctl enable shop").stdout == "shop: belfryd@shop.service stands for shop.service\n"
    user.shell("belfryctl --socket $XDG_RUNTIME_DIR/belfry@shop/io.belfry.Lifecycle pause")
    user.shell("systemctl --user stop shop")
    assert user.shell(f"cat $HOME/{LOG}").stdout.split() == ["Start", "Pause", "Stop"]
    assert user.property("belfryd@shop", "ActiveState") == "inactive"


def test_a_sleep_that_is_not_announced_is_told(user):
    unit = f"{user.home}/.config/systemd/user/shop.service"
    user.host.write(unit, "[Service]\nExecStart=/bin/sleep infinity\n")
    bus = "[Service]\nEnvironment=DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/nowhere\n"
    user.host.write(f"{user.home}/.config/systemd/user/belfryd@shop.service.d/bus.conf", bus)
    user.host.write(f"{user.home}/.config/belfry/applications/shop.conf", f"{FILE}Sleep=true\n")
    user.host.run("chown", "-R", "anna:", f"{user.home}/.config")
    user.shell("systemctl --user daemon-reload && systemctl --user start shop belfryd@shop")
    ask = "belfryctl --socket $XDG_RUNTIME_DIR/belfry@shop/io.belfry.Lifecycle is-active"
    user.shell(f"until {ask} | grep -q degraded; do sleep 0.1; done")
    doubt = "application is degraded: Sleep= may not run: there is no connection to the system's bus"
    answer = user.shell(ask, check=False)
    assert (answer.returncode, answer.stdout) == (1, f"active\n{doubt}\n")
    user.shell("rm -r $HOME/.config/systemd/user/belfryd@shop.service.d; systemctl --user daemon-reload")
    user.shell(f"systemctl --user restart belfryd@shop; while {ask} | grep 'no connection'; do sleep 0.1; done")
    assert "no connection" not in user.shell(ask, check=False).stdout
    user.shell("systemctl --user stop shop")


def test_a_user_cannot_name_another_user(user):
    user.host.write(f"{user.home}/.config/belfry/applications/shop.conf", FILE.replace("[On]", "User=root\n[On]"))
    answer = user.shell("belfryctl check shop", check=False)
    assert answer.returncode == 78 and "the applications of a user run as this user, remove 'User'" in answer.stderr
