# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Messages to systemd, as systemd shows them."""

import pytest
from belfry_service import SERVICE


def text(service) -> str:
    return service.property("StatusText")


def test_status_line_is_always_informative(on_each):
    on_each.start()
    assert text(on_each) == "active"

    on_each.ctl("pause")
    assert text(on_each).startswith("paused (background) by pid ")
    assert text(on_each).endswith("on the socket")
    on_each.kill("CONT")
    on_each.wait_for(lambda: text(on_each).startswith("active, continued by SIGCONT from pid 1"), "say so")
    on_each.ctl("interrupt")
    assert text(on_each).startswith("interrupted by pid ")
    on_each.ctl("resume")
    on_each.host.systemctl("reload", SERVICE)
    assert text(on_each) == "active, configuration reloaded"
    on_each.configure("[Nonsense]\n")
    on_each.host.systemctl("reload", SERVICE, check=False)
    assert text(on_each) == "active, new configuration refused"

    on_each.host.systemctl("stop", SERVICE)
    assert text(on_each).startswith("stopped, asked by SIGTERM from pid 1")


def test_lost_listener_ends_the_service_at_once_even_without_a_watchdog(probe):
    probe.start("frail", Restart="on-failure", RestartSec="0")
    first = probe.property("MainPID")
    probe.kill("USR2")
    probe.wait_for(lambda: probe.property("NRestarts") == "1", "be restarted")

    record = next(r for r in probe.journal() if r.get("BELFRY_HEALTH") == "lost")
    assert record["_PID"] == first
    assert record["MESSAGE"].endswith("no disk left")
    probe.wait_for(lambda: probe.property("ActiveState") == "active", "come back")


def stored(probe) -> int:
    return int(probe.property("NFileDescriptorStore"))


def test_stored_descriptors_come_back(probe):
    probe.start("store", FileDescriptorStoreMax="8", Restart="on-failure", RestartSec="0")
    own = stored(probe)
    probe.kill("USR1")
    probe.wait_for(lambda: "stored sent" in probe.messages(), "store")

    # The two ends of a pipe: neither hangs up while the other one is stored.
    assert stored(probe) == own + 2
    probe.kill("KILL")
    probe.wait_for(lambda: "received 2, left []" in probe.messages(), "have them back")
    probe.kill("USR2")
    probe.wait_for(lambda: stored(probe) == own, "remove them")


def test_manager_without_a_store_drops_descriptors_silently_and_answers_the_barrier(probe):
    probe.start("store")
    probe.kill("USR1")
    probe.wait_for(lambda: "stored sent" in probe.messages(), "hear of the barrier")

    assert stored(probe) == 0


def test_start_with_progress_reports_gets_more_time(probe):
    probe.start("slowStart=6", TimeoutStartSec="3s")

    assert probe.property("ActiveState") == "active"
