# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""belfryd in the service manager of a user, as docs/operations.md has it."""

import pytest
from belfry_service import SERVICE
from documentation import commands
from exposure import HIGHEST
from hosted_user import HostedUser
from varlink_client import Subscriber, VarlinkClient

ENABLE, EXPORT, STATUS, RELOAD = commands("systemctl --user enable --now belfryd")


@pytest.fixture
def ann(on_each):
    """A user with a running belfryd; the system's has not been started."""
    user = HostedUser(on_each.host, "ann")
    user.shell(ENABLE)
    yield user
    user.remove()


def subscribe(user: HostedUser) -> Subscriber:
    return Subscriber(VarlinkClient(user.host.path(f"/run/user/{user.uid}/belfry/io.belfry.Lifecycle")))


def test_commands_of_the_page_reach_the_service_of_the_user_and_not_that_of_the_system(ann, on_each):
    on_each.start()

    status = ann.shell(f"{EXPORT}\n{STATUS}").stdout

    assert "is active" in status and ann.property(SERVICE, "MainPID") in status
    assert ann.property(SERVICE, "UnitFileState") == "enabled"


def test_configuration_is_that_of_the_user(ann, on_each):
    on_each.configure("broken")
    ann.shell("echo '[Signals]\nUSR2=com.example.rotate' >~/.config/belfry/belfry.conf")
    subscriber = subscribe(ann)

    ann.shell(RELOAD)
    ann.shell(f"systemctl --user kill --kill-who=main --signal=USR2 {SERVICE}")

    subscriber.until("com.example.rotate")


def test_restart_and_crash_lose_no_notification(ann):
    subscriber = subscribe(ann)

    ann.shell(f"systemctl --user restart {SERVICE}")
    subscriber.until("didBecomeActive")
    ann.shell(f"systemctl --user kill --kill-who=main --signal=KILL {SERVICE}")
    subscriber.until("didBecomeActive")

    assert subscriber.is_consecutive()
    assert "after a crash" in ann.shell(f"{EXPORT}\n{STATUS}").stdout


def test_state_is_in_the_directory_of_the_user(ann):
    ann.shell(f"systemctl --user stop {SERVICE}")

    assert list(ann.host.path(f"{ann.home}/.local/state/belfry").iterdir()) != []
    assert ann.property(SERVICE, "Result") == "success"


def test_service_runs_under_its_filter_of_system_calls(ann):
    status = ann.host.run("cat", f"/proc/{ann.property(SERVICE, 'MainPID')}/status").stdout

    assert "\nSeccomp:\t2\n" in status and "\nNoNewPrivs:\t1\n" in status


def test_exposure_is_no_higher_than_offline(ann):
    ann.shell(f"systemd-analyze --user security --threshold={HIGHEST['user/belfryd.service']} {SERVICE}")


def test_unit_is_verified_without_a_warning(ann):
    assert ann.shell(f"systemd-analyze --user verify {SERVICE}").stderr == ""
