# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""A pause that outlives the process, and what ends it."""

import subprocess

import pytest
from belfry_service import SERVICE, BelfryService, installed_host
from host_roots import ROOTS
from hosted_user import HostedUser

MARKER = "/run/belfry/paused"
# A launch into the background, and another one.
PAUSED_LAUNCH = ["willFinishLaunching", "didFinishLaunching", "didEnterBackground"]
LAUNCH = ["willFinishLaunching", "didFinishLaunching", "didBecomeActive"]


@pytest.fixture
def paused(started_on_each):
    started_on_each.wait_for_bus()
    assert started_on_each.ctl("pause").stdout == "paused (background)\n"
    return started_on_each


def launch(belfry) -> list[str]:
    """The notifications of the last launch."""
    names = [r["BELFRY_NOTIFICATION"] for r in belfry.notifications()]
    return names[len(names) - names[::-1].index("willFinishLaunching") - 1 :]


def assert_still_paused(belfry) -> None:
    """It is ready, in the background, and says who has paused it."""
    belfry.wait_until_logged()
    assert launch(belfry) == PAUSED_LAUNCH
    status = belfry.status()
    assert (status["state"], status["launch"]["paused"]) == ("background", True)
    assert (status["lastWord"]["kind"], status["lastWord"]["origin"]["command"]) == ("paused", "belfryctl")
    assert belfry.properties("ActiveState", "SubState") == {"ActiveState": "active", "SubState": "running"}
    assert belfry.property("StatusText").startswith("paused (background) by ")
    assert "; into the background" in belfry.ctl("status").stdout


def crash(belfry) -> None:
    pid = belfry.main_pid()
    belfry.kill("KILL")
    belfry.wait_for_another(pid)


def test_pause_outlives_crashes_until_it_is_continued(paused):
    for _ in range(2):
        crash(paused)
        assert_still_paused(paused)
        assert paused.status()["launch"]["cause"] == "crash"

    assert paused.ctl("resume").stdout == "active\n"
    assert not paused.host.path(MARKER).exists()
    crash(paused)

    paused.wait_until_logged()
    assert launch(paused) == LAUNCH


@pytest.mark.parametrize("verb", ["restart", "try-restart"])
def test_pause_outlives_a_restart(paused, verb):
    paused.host.systemctl(verb, SERVICE)

    assert_still_paused(paused)
    assert paused.status()["launch"]["cause"] == "restart"


def test_stop_ends_a_pause(paused):
    paused.host.systemctl("stop", SERVICE)
    assert not paused.host.path(MARKER).exists()

    paused.start()

    paused.wait_until_logged()
    assert launch(paused) == LAUNCH


@pytest.mark.parametrize("by_hand", [True, False])
def test_pause_outlives_a_signal_that_is_no_stop_job(paused, by_hand):
    if by_hand:
        paused.host.run("sh", "-c", f"kill -TERM {paused.main_pid()}")
    else:
        paused.kill("TERM")
    paused.wait_until_inactive()

    paused.start()

    assert_still_paused(paused)


def test_program_that_runs_at_the_start_learns_that_the_service_is_paused(started_on_each, listener):
    listener.write("didBecomeActive", '#!/bin/sh\necho "now $BELFRY_NOTIFICATION $BELFRY_STATE"\n', "RunOnStart=yes\n")
    listener.start()
    listener.wait_for_line("now  active")
    started_on_each.ctl("pause")

    crash(started_on_each)

    listener.wait_for_line("now  background")
    started_on_each.ctl("resume")
    listener.wait_for_line("now didBecomeActive active")


def test_service_of_a_user_keeps_a_pause(on_each):
    ann = HostedUser(on_each.host, "ann")
    ctl = "belfryctl --socket $XDG_RUNTIME_DIR/belfry/io.belfry.Lifecycle"
    try:
        ann.shell(f"systemctl --user start {SERVICE} && {ctl} pause")

        ann.shell(f"systemctl --user restart {SERVICE}")
        assert " is paused (background)" in ann.shell(f"{ctl} status").stdout
        ann.shell(f"systemctl --user stop {SERVICE} && systemctl --user start {SERVICE}")

        assert " is active" in ann.shell(f"{ctl} status").stdout
    finally:
        ann.remove()


@pytest.fixture
def ending():
    """A host of its own, for a test that ends its user space."""
    with installed_host("trixie-end", ROOTS["trixie"](), keeps_journal=True) as belfry:
        yield belfry


def is_started(belfry: BelfryService) -> bool:
    """Tries to start the service. systemctl waits without end if systemd leaves while it asks."""
    try:
        return belfry.host.systemctl("start", SERVICE, check=False, timeout=5).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def test_pause_outlives_a_soft_reboot_on_trixie(ending: BelfryService):
    ending.start()
    ending.ctl("pause")
    before = ending.property("InvocationID")

    ending.host.systemctl("soft-reboot", check=False)
    ending.host.wait_for_record("BELFRY_NOTIFICATION=willTerminate")
    ending.wait_for(lambda: is_started(ending), "start again", 60)

    assert ending.property("InvocationID") != before
    status = ending.status()
    assert (status["state"], status["lastWord"]["kind"]) == ("background", "paused")
    record = ending.host.journal("BELFRY_NOTIFICATION=willTerminate")[-1]
    assert "reason softReboot" in record["MESSAGE"]
