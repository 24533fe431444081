# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The service manager's messages frame an attached program: what systemd knows while the program is still busy."""

import pytest
from belfry_service import SERVICE
from listener_unit import ListenerUnit

NAMES = ["willResignActive", "didBecomeActive", "willReload", "didReload"]
# Says for which notification it runs, and answers when the test lets it.
SCRIPT = """#!/bin/sh
echo "$BELFRY_NOTIFICATION begins"
until [ -e "/run/gates/$BELFRY_NOTIFICATION" ]; do sleep 0.05; done
"""


def attached(listener):
    """An attached program whose answers the test holds back."""
    listener.write(" ".join(NAMES), SCRIPT, "Timeout=60s\n")
    listener.host.run("rm", "-rf", "/run/gates")
    listener.host.run("mkdir", "/run/gates")
    listener.start()
    return listener


@pytest.fixture
def guard(started_on_each, listener):
    return attached(listener)


def gate(guard, name: str, is_open: bool) -> None:
    guard.host.run(*(["touch"] if is_open else ["rm", "-f"]), f"/run/gates/{name}")


def wait_for_status(guard, text: str) -> None:
    guard.belfry.wait_for(
        lambda: text in guard.belfry.property("StatusText"),
        f"say '{text}', but '{guard.belfry.property('StatusText')}'")


def is_pausing_and_continuing(guard) -> None:
    guard.belfry.kill("TSTP")
    wait_for_status(guard, "pausing, asked by SIGTSTP")
    wait_for_status(guard, ", waiting for 'guard'")
    gate(guard, "willResignActive", True)
    wait_for_status(guard, "paused (background) by SIGTSTP")

    guard.belfry.kill("CONT")
    wait_for_status(guard, "continuing, asked by SIGCONT")
    wait_for_status(guard, ", waiting for 'guard'")
    gate(guard, "didBecomeActive", True)
    wait_for_status(guard, "active, continued by SIGCONT")
    gate(guard, "willResignActive", False)


def test_status_names_the_program_in_every_transition_and_the_stop_is_known_at_once(guard):
    is_pausing_and_continuing(guard)

    guard.belfry.kill("TERM")
    guard.belfry.wait_for(lambda: guard.belfry.property("SubState") == "stop-sigterm", "be known to stop")
    wait_for_status(guard, "stopping, asked by SIGTERM")
    wait_for_status(guard, ", waiting for 'guard'")
    gate(guard, "willResignActive", True)
    guard.belfry.wait_until_inactive()

    assert guard.belfry.property("Result") == "success"


def is_reloading(guard) -> None:
    with guard.host.running("systemctl", "reload", SERVICE) as reload:
        for name in ["willReload", "didReload"]:
            guard.wait_for_line(f"{name} begins")
            wait_for_status(guard, "reloading, waiting for 'guard'")
            assert guard.belfry.property("ActiveState") == "reloading" and reload.poll() is None
            gate(guard, name, True)
        assert reload.wait(30) == 0
    assert guard.belfry.property("StatusText") == "active, configuration reloaded"


def test_reload_is_over_when_the_program_has_answered(guard):
    is_reloading(guard)


def test_notify_reload_waits_for_the_program(belfry_on_trixie):
    belfry_on_trixie.use_notify_reload()
    belfry_on_trixie.start()
    unit = ListenerUnit(belfry_on_trixie, "guard")
    try:
        is_reloading(attached(unit))
    finally:
        unit.remove()
