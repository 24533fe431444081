# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application follows its unit, and the unit does not notice Belfry."""

import pytest
from application import Application


@pytest.fixture
def shop(on_each):
    """A unit with a lifecycle, which runs."""
    shop = Application(on_each.host)
    shop.write_unit()
    shop.write()
    shop.begin()
    try:
        yield shop
    finally:
        shop.remove()


def test_it_starts_and_stops_with_its_unit(shop):
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.host.systemctl("stop", shop.unit.name)
    assert shop.done() == ["Start", "Stop", "unit ended"]
    assert [unit.property("ActiveState") for unit in (shop, shop.listener)] == ["inactive", "inactive"]
    shop.begin()
    assert shop.done()[3:] == ["Start"]


def test_a_restart_of_the_unit_is_a_stop_and_a_start(shop):
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_until_up()
    shop.wait_for(lambda: shop.done() == ["Start", "Stop", "unit ended", "Start"], "follow the restart")


def test_a_crash_runs_nothing(shop):
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.host.run("kill", "-KILL", shop.unit.property("MainPID"))
    shop.wait_for(lambda: shop.property("ActiveState") == "inactive", "follow the crash")
    shop.wait_for(lambda: shop.done() == ["Start", "unit ended"], "end its unit")
    assert shop.says("shop.service has ended before, Stop= does not run")


def test_what_happens_to_belfry_runs_nothing(shop):
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    shop.host.systemctl("kill", "--signal=KILL", shop.name)
    shop.wait_for(lambda: shop.property("NRestarts") == "1", "start again")
    shop.wait_until_up()
    shop.host.systemctl("restart", shop.listener.name)
    shop.wait_until_up()
    shop.host.systemctl("stop", shop.name, shop.listener.name)
    assert shop.says("shop.service runs on, Stop= does not run")
    assert shop.done() == ["Start"] and shop.unit.property("ActiveState") == "active"


def test_a_pause_belongs_to_one_run_of_the_unit(shop):
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.ctl("pause")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    assert shop.state() == "background" and shop.done() == ["Start", "Pause"]
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_for(lambda: shop.state() == "active", "end the pause with the run")
    assert shop.done()[2:] == ["Stop", "unit ended", "Start", "Resume"]


def test_verbs(shop):
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    for command in (["pause"], ["resume"], ["reload"], ["reload", "--dry-run"], ["flush"]):
        shop.ctl(*command)
    shop.ctl("simulate", "didReceiveMemoryWarning", "level=some")
    assert shop.done()[1:] == ["Pause", "Resume", "CheckReload", "Reload", "CheckReload", "Flush", "MemoryWarning"]
