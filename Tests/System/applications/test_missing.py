# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application whose command needs what the system does not provide is degraded, and says which command may not run."""

import pytest
from application import Application
from login_double import LOGIND

GROUP = "/sys/fs/cgroup/system.slice/shop.service"
NO_PRESSURE = f"MemoryWarning= may not run: unable to read '{GROUP}/memory.pressure': No such file or directory (ENOENT)"
NO_ZONE = "significantTimeChange= may not run: unable to watch '/etc': Too many open files (EMFILE)"
NO_LOCK = "Sleep= may not run: unable to call 'org.freedesktop.login1.Manager.Inhibit': "
# What the kernel answers to one instance too many. The limit of a user counts for all hosts of the machine, so it is left alone.
DROP_INS = "/run/systemd/system/belfryd@shop.service.d"
NO_INOTIFY = "[Service]\nSystemCallFilter=~inotify_init1\nSystemCallErrorNumber=EMFILE\n"
WELL = (0, "active\n")


@pytest.fixture
def shop(on_each):
    shop = Application(on_each.host)
    shop.commands["significantTimeChange"] = f"/bin/sh -c 'echo Zone >>{shop.log}'"
    drop_ins = f"/run/systemd/system/{shop.name}.d"
    shop.drop_in = lambda text: shop.host.write(f"{drop_ins}/zz-test.conf", f"[Service]\n{text}")
    try:
        shop.write_unit()
        shop.write()
        yield shop
    finally:
        shop.host.run("rm", "-rf", DROP_INS)
        shop.remove()


def is_active(shop: Application) -> tuple[int, str]:
    answer = shop.ctl("is-active", check=False)
    return answer.returncode, answer.stdout


def wait_for_health(shop: Application) -> None:
    shop.wait_for(lambda: is_active(shop) == WELL, "be healthy")


def wait_for_doubt(shop: Application, doubt: str) -> None:
    shop.wait_for(lambda: is_active(shop) == (1, f"active\napplication is degraded: {doubt}\n"), f"say '{doubt}'")


def count_pressure(shop: Application, counts: bool) -> None:
    """0 does for one group what a kernel without PSI, or with psi=0, does for all (Linux 6.1)."""
    shop.host.run("sh", "-c", f"echo {int(counts)} >{GROUP}/cgroup.pressure")


def test_pressure_that_is_not_counted_is_told_until_it_is(shop):
    shop.begin()
    wait_for_health(shop)
    count_pressure(shop, False)
    wait_for_doubt(shop, NO_PRESSURE)
    assert NO_PRESSURE in shop.property("StatusText")
    assert shop.says(f"listener 'application' is degraded: {NO_PRESSURE}")
    assert "  not healthy  " in shop.host.run("belfryctl", "list").stdout
    count_pressure(shop, True)
    wait_for_health(shop)
    assert shop.says("listener 'application' is healthy again")


def test_a_new_instance_says_it_and_a_new_run_of_the_unit_ends_it(shop):
    shop.begin()
    shop.host.systemctl("stop", shop.name)
    count_pressure(shop, False)
    shop.host.systemctl("start", shop.name)
    shop.wait_until_up()
    wait_for_doubt(shop, NO_PRESSURE)
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_until_up()
    wait_for_health(shop)


def test_a_unit_without_a_process_never_waits_for_memory(shop):
    job = "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true\n"
    shop.host.write(f"/run/systemd/system/{shop.unit.name}", job)
    shop.host.systemctl("daemon-reload")
    shop.begin()
    wait_for_doubt(shop, "MemoryWarning= may not run: shop.service has no processes")
    shop.write_unit()
    shop.host.systemctl("daemon-reload")
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_until_up()
    wait_for_health(shop)


def test_who_has_no_command_for_it_misses_nothing(shop):
    shop.host.write(f"{DROP_INS}/zz-test.conf", NO_INOTIFY)
    shop.commands |= {"MemoryWarning": "", "significantTimeChange": ""}
    shop.write()
    shop.begin()
    count_pressure(shop, False)
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    wait_for_health(shop)
    assert not [message for message in shop.messages() if "unable to" in message]


def test_without_inotify_the_time_zone_is_not_watched_and_all_else_works(shop):
    shop.host.write(f"{DROP_INS}/zz-test.conf", NO_INOTIFY)
    shop.write()
    shop.begin()
    wait_for_doubt(shop, NO_ZONE)
    count_pressure(shop, False)
    wait_for_doubt(shop, f"{NO_PRESSURE}; {NO_ZONE}")
    # Each of the others runs all the same.
    shop.ctl("pause")
    shop.ctl("resume")
    shop.host.systemctl("stop", shop.unit.name)
    assert shop.done() == ["Start", "Pause", "Resume", "Stop", "unit ended"]


def test_a_sleep_that_does_not_wait_is_told_until_it_does(shop):
    shop.host.systemctl("mask", "--runtime", "--now", "polkit.service")
    try:
        shop.begin()
        shop.wait_for(lambda: is_active(shop)[0] == 1, "be refused the lock")
        doubts = is_active(shop)[1].removeprefix("active\napplication is degraded: ").split("; Wake=")
        assert doubts[0].startswith(NO_LOCK) and len(doubts) == 2, doubts
    finally:
        shop.host.systemctl("unmask", "--runtime", "polkit.service")
    shop.host.systemctl("restart", LOGIND)
    wait_for_health(shop)
