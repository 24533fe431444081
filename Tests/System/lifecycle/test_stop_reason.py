# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The reason of a stop in `willTerminate` and in the journal."""

import pytest
from belfry_service import SERVICE, BelfryService, has_bus, installed_host
from host_roots import ROOTS
from probe_service import PROGRAM, UNIT, ProbeService
from systemd_host import SystemdHost

TERMINATE = "BELFRY_NOTIFICATION=willTerminate"


def reason(record: dict) -> str:
    """The reason in a record's text."""
    return record["MESSAGE"].rpartition("reason ")[2].split(",")[0]


def reasons(belfry) -> list[str]:
    """Those of all ends of the service since the last reset."""
    return [reason(r) for r in belfry.notifications() if r["BELFRY_NOTIFICATION"] == "willTerminate"]


@pytest.fixture
def connected(on_each):
    """A service that has found the bus."""
    on_each.start()
    on_each.wait_for_bus()
    return on_each


@pytest.mark.parametrize(
    "command, expected",
    [
        ("systemctl stop", "stop"),
        ("systemctl restart", "restart"),
        ("systemctl try-restart", "restart"),
        ("systemctl kill --kill-who=main --signal=TERM", "signal"),
        ("kill -TERM", "signal"),
    ],
)
def test_reason_is_that_of_the_command(connected, command, expected):
    who = connected.main_pid() if command.startswith("kill") else SERVICE
    connected.host.run("sh", "-c", f"{command} {who}")

    connected.wait_for(lambda: reasons(connected) == [expected], f"stop with the reason {expected}")


@pytest.mark.parametrize("verb, expected", [("stop", "stop"), ("restart", "restart")])
def test_service_of_root_gets_the_reason_without_a_bus(probe, verb, expected):
    probe.start("count", InaccessiblePaths="/run/dbus")

    probe.host.systemctl(verb, UNIT)

    assert [reason(r) for r in probe.journal() if r.get("BELFRY_NOTIFICATION") == "willTerminate"] == [expected]


@pytest.fixture
def ending_host(request):
    """A host of its own for a test that ends it, with a service that has found the bus."""
    with installed_host(f"{request.param}-end", ROOTS[request.param](), keeps_journal=True) as belfry:
        belfry.start()
        belfry.wait_for_bus()
        yield belfry.host


START_TARGET = ["start", "--no-block", "--job-mode=replace-irreversibly"]
USERS_UNIT = f"""[Service]
Type=notify
ExecStart={PROGRAM} count
RuntimeDirectory=belfry-probe
"""


def start_a_users_service(host: SystemdHost) -> None:
    """Starts the probe in the manager of the user belfry, and waits until it has found the bus."""
    uid = host.run("id", "-u", "belfry").stdout.strip()
    host.write(f"/etc/systemd/user/{UNIT}", USERS_UNIT)
    host.systemctl("start", f"user@{uid}.service")
    as_user = ["setpriv", "--reuid=belfry", "--regid=belfry", "--clear-groups"]
    manager = [*as_user, "env", f"XDG_RUNTIME_DIR=/run/user/{uid}", "systemctl", "--user"]
    host.run(*manager, "start", UNIT)
    pid = host.run(*manager, "show", "--property=MainPID", "--value", UNIT).stdout.strip()
    BelfryService(host).wait_for(lambda: has_bus(host, pid), "see the user's service find the bus")


def reasons_left(host: SystemdHost, match: str) -> list[str]:
    """Those of all ends of a unit in the journal on the disk."""
    return [reason(record) for record in host.journal_left(TERMINATE, match)]


@pytest.mark.parametrize("ending_host", ROOTS, indirect=True)
@pytest.mark.parametrize(
    "command, expected",
    [
        (["reboot"], "reboot"),
        (["poweroff"], "powerOff"),
        (["halt"], "halt"),
        # There is no kernel to go on with in a container; the target and its job are there.
        ([*START_TARGET, "kexec.target"], "kexec"),
    ],
    ids=["reboot", "poweroff", "halt", "kexec"],
)
def test_shutdown_is_reported_with_its_kind(ending_host, command, expected):
    # It outlives the bus.
    ProbeService(ending_host).start("count")
    start_a_users_service(ending_host)

    ending_host.systemctl(*command, check=False)
    ending_host.wait_for_end()

    assert reasons_left(ending_host, f"_SYSTEMD_UNIT={SERVICE}") == [expected]
    assert reasons_left(ending_host, f"_SYSTEMD_UNIT={UNIT}") == [expected]
    assert reasons_left(ending_host, f"_SYSTEMD_USER_UNIT={UNIT}") == [expected]


def test_end_of_a_users_manager_is_a_stop(probe):
    start_a_users_service(probe.host)

    probe.host.systemctl("stop", "user.slice")

    left = probe.host.journal(TERMINATE, f"_SYSTEMD_USER_UNIT={UNIT}")
    assert [reason(record) for record in left] == ["stop"]


def show_boot(belfry: BelfryService) -> None:
    """Starts the service anew with the id of the host's boot in sight, now and after the next boot.

    Older versions of systemd mount a /proc of its own for a service so protected: a container's shows the machine's id.
    """
    settings = "[Service]\nProtectKernelTunables=no\nProtectControlGroups=no\n"
    belfry.host.write(f"/etc/systemd/system/{SERVICE}.d/boot.conf", settings)
    belfry.host.systemctl("daemon-reload")
    belfry.host.systemctl("restart", SERVICE)


@pytest.mark.parametrize("ending_host", ROOTS, indirect=True)
def test_forced_shutdown_is_reported_with_its_kind(ending_host):
    belfry = BelfryService(ending_host)
    show_boot(belfry)
    for verb, expected in [("reboot", "reboot"), ("poweroff", "powerOff"), ("halt", "halt")]:
        belfry.wait_for_bus()
        # No unit is stopped: the manager gives way to a program that signals every process, the journal's too.
        ending_host.systemctl(verb, "--force", check=False)
        ending_host.wait_for_end()

        ending_host.boot_again()
        belfry.start()

        status = belfry.status()
        assert status["lastWord"]["reason"] == expected
        assert status["launch"]["cause"] == "boot"
