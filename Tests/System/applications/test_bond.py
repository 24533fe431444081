# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""An application follows its unit, and the unit does not notice Belfry."""

import pytest
from application import Application
from belfry_service import installed_host
from host_roots import ROOTS


@pytest.fixture
def shop(on_each):
    """A unit with a lifecycle, which runs, as does Start=."""
    shop = Application(on_each.host)
    try:
        shop.write_unit()
        shop.write()
        shop.begin()
        shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
        yield shop
    finally:
        shop.remove()


def test_it_starts_and_stops_with_its_unit(shop):
    shop.host.systemctl("stop", shop.unit.name)
    assert shop.done() == ["Start", "Stop", "unit ended"]
    assert [unit.property("ActiveState") for unit in (shop, shop.listener)] == ["inactive", "inactive"]
    shop.begin()
    assert shop.done()[3:] == ["Start"]


def test_a_restart_of_the_unit_is_a_stop_and_a_start(shop):
    shop.host.systemctl("restart", shop.unit.name)
    shop.wait_until_up()
    shop.wait_for(lambda: shop.done() == ["Start", "Stop", "unit ended", "Start"], "follow the restart")


def test_a_restart_that_fails_leaves_no_client_waiting(shop):
    """systemd calls the start of the instance off, and may keep what the instance has stored."""
    shop.write_unit("ExecStartPre=/bin/false\n")
    shop.host.systemctl("daemon-reload")
    shop.host.systemctl("restart", shop.unit.name, check=False)
    assert shop.unit.property("ActiveState") == "failed" and shop.done()[1] == "Stop"
    done = shop.ctl("pause", check=False)
    assert done.returncode == 69 and "(ENOENT)" in done.stderr and "'belfryctl history shop'" in done.stderr
    done = shop.host.run("belfryctl", "list", "--failed", check=False)
    assert "belfryd@shop: shop.service is failed" in done.stdout and "shop" not in done.stderr
    shop.write_unit()
    shop.host.systemctl("daemon-reload")
    shop.begin()
    assert shop.state() == "active"


def wrong(shop) -> list[str]:
    lines = shop.host.run("belfryctl", "list", "--failed", check=False).stdout.splitlines()
    return [line for line in lines if line.startswith("belfryd@shop: ")]


def test_a_file_that_is_wrong_by_now_does_not_take_its_turn_from_stop(shop):
    """Whatever runs `systemctl daemon-reload`, such as the installation of another package."""
    shop.host.write(f"{shop.file}.d/a.conf", "[On]\nDegarded=true\n")
    try:
        shop.host.systemctl("daemon-reload")
        assert wrong(shop) == ["belfryd@shop: error in its file, see 'belfryctl check shop'"]
        shop.host.systemctl("restart", shop.unit.name)
        assert shop.done() == ["Start", "Stop", "unit ended"]
        shop.wait_for(lambda: shop.property("ActiveState") == "failed", "refuse its file")
        assert "a.conf:2:1" in shop.property("StatusText") and "a.conf:2:1" in wrong(shop)[0]
    finally:
        shop.host.run("rm", "-r", f"{shop.file}.d")


def test_a_file_that_the_next_start_cannot_read_is_listed(shop):
    file = shop.host.path(shop.file)
    file.chmod(0o600)
    assert wrong(shop) == ["belfryd@shop: error in its file, see 'belfryctl check shop'"]
    file.chmod(0o644)
    assert wrong(shop) == []


def test_an_instance_that_is_not_bound_any_more_says_so(shop):
    text = "is not bound to shop.service any more, Stop= does not run: see 'belfryctl check shop'"
    shop.host.run("rm", shop.file)
    shop.host.systemctl("daemon-reload")
    shop.wait_for(lambda: any(text in line for line in wrong(shop)), "notice it")
    assert shop.ctl("is-active", check=False).returncode == 1 and text in shop.ctl("status").stdout
    shop.write()
    shop.wait_for(lambda: wrong(shop) == [], "be bound again")


def test_a_crash_runs_nothing(shop):
    shop.unit.kill("KILL")
    shop.wait_for(lambda: shop.property("ActiveState") == "inactive", "follow the crash")
    shop.wait_for(lambda: shop.done() == ["Start", "unit ended"], "end its unit")
    assert shop.listener_says("shop.service has ended before, Stop= does not run")
    end = shop.ctl("history", "-n", "1", "--on", "willTerminate").stdout
    assert "reason=unitEnded unitJob=over error=Result=signal" in end
    shop.begin()
    status = shop.ctl("status").stdout
    assert "Launch: after its application had ended\n" in status
    [word] = [line for line in status.splitlines() if line.startswith("    Last word: ")]
    assert word.endswith(", because the application had ended or was killed (Result=signal)") and "SIGTERM" not in word


def test_what_happens_to_belfry_runs_nothing(shop):
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    shop.host.systemctl("kill", "--signal=KILL", shop.name)
    shop.wait_for(lambda: shop.property("NRestarts") == "1", "start again")
    shop.wait_until_up()
    shop.host.systemctl("restart", shop.listener.name)
    shop.wait_until_up()
    shop.host.systemctl("stop", shop.name, shop.listener.name)
    assert shop.listener_says("shop.service runs on, Stop= does not run")
    assert shop.done() == ["Start"] and shop.unit.property("ActiveState") == "active"


def test_a_pause_outlives_a_stop_of_belfry_but_not_the_run(shop):
    shop.ctl("pause")
    said = shop.host.run("belfryctl", "disable", "shop").stderr
    assert said.startswith("shop: still paused 20") and " by socket from pid " in said, said
    assert f"\nnothing resumes it now; its Resume= is: {shop.commands['Resume']}\n" in said
    shop.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    assert shop.state() == "background" and shop.done() == ["Start", "Pause"]
    shop.host.systemctl("stop", shop.unit.name)
    shop.begin()
    shop.wait_for(lambda: shop.state() == "active", "end the pause with the run")
    assert shop.done()[2:] == ["Stop", "unit ended", "Start", "Resume"]


def test_a_pause_that_is_asked_for_while_belfry_starts_is_one_of_the_new_run(shop):
    for before in ([], ["Resume"]):
        shop.clear()
        restart = "systemctl restart shop.service; until belfryctl -i shop pause 2>/dev/null; do :; done"
        assert shop.host.run("sh", "-c", restart).stdout == "paused (background)\n"
        shop.wait_for(lambda: shop.done()[-1:] == ["Pause"], "run Pause=")
        shop.ctl("flush")
        assert shop.state() == "background" and shop.done() == ["Stop", "unit ended", "Start", *before, "Pause", "Flush"]


def test_verbs(shop):
    for command in (["pause"], ["resume"], ["reload"], ["reload", "--dry-run"], ["flush"]):
        shop.ctl(*command)
    shop.ctl("simulate", "didReceiveMemoryWarning", "level=some")
    verbs = ["Pause", "Resume", "CheckReload", "Reload", "CheckReload", "Flush", "MemoryWarning"]
    assert shop.done()[1:] == verbs
    # The journal names each command.
    ran = [record["MESSAGE"] for record in shop.listener.journal() if "= ran " in record["MESSAGE"]]
    assert ran[-len(verbs) :] == [f"{verb}= ran '{shop.commands[verb]}'" for verb in verbs]


def test_a_unit_that_restarts_by_itself_is_followed(shop):
    shop.write_unit("Restart=on-failure\nRestartSec=100ms\n")
    shop.host.systemctl("daemon-reload")
    shop.ctl("pause")
    shop.unit.kill("KILL")
    shop.wait_for(lambda: shop.done() == ["Start", "Pause", "unit ended", "Start", "Resume"], "follow to the next run")
    shop.wait_for(lambda: shop.state() == "active", "end the pause with the run")


def test_a_restart_that_does_not_stop_dependents_is_a_run_of_its_own(belfry_on_trixie):
    shop = Application(belfry_on_trixie.host)
    try:
        # Without ExecStopPost=, during which systemd would stop what is bound to the unit.
        direct = "ExecStopPost=\nRestart=on-failure\nRestartMode=direct\nRestartSec=100ms\n"
        shop.write_unit(direct)
        shop.write()
        shop.begin()
        shop.ctl("pause")
        pid = shop.main_pid()
        shop.unit.kill("KILL")
        shop.wait_for(lambda: shop.done().count("Start") == 2, "tell of the next run")
        shop.wait_for(lambda: shop.state() == "active", "end the pause with the run")
        assert shop.main_pid() == pid and shop.done() == ["Start", "Pause", "Start", "Resume"]
    finally:
        shop.remove()


def test_units_with_other_names_and_several_applications(on_each):
    template = Application(on_each.host, "template", "template@a-b.service")
    alias = Application(on_each.host, "alias", "alias.service")
    real = f"/run/systemd/system/{alias.unit.name}"
    try:
        template.host.write("/run/systemd/system/template@.service", "[Service]\nExecStart=/bin/sleep infinity\n")
        # An alias leads to the unit that does the work.
        template.host.write("/run/systemd/system/real.service", "[Service]\nExecStart=/bin/sleep infinity\n")
        template.host.run("ln", "-s", "real.service", real)
        for application in (template, alias):
            application.write()
            application.begin()
            application.wait_for(lambda one=application: one.done() == ["Start"], "run Start=")
        on_each.host.systemctl("stop", "template@a-b.service", "real.service")
        assert template.done() == alias.done() == ["Start", "Stop"]
    finally:
        template.remove()
        alias.remove()
        for unit in ("template@.service", "real.service"):
            on_each.host.path(f"/run/systemd/system/{unit}").unlink(missing_ok=True)
        on_each.host.systemctl("daemon-reload")


def test_a_masked_unit_is_told_and_nothing_starts(shop):
    shop.host.systemctl("stop", shop.unit.name)
    shop.host.systemctl("mask", shop.unit.name)
    try:
        for command, status in (("check", 0), ("enable", 78)):
            told = shop.host.run("belfryctl", command, "shop", check=False)
            assert told.stderr == "shop: warning: shop.service cannot start, LoadState=masked\n" and told.returncode == status
        for unit in (shop.unit, shop):
            refused = shop.host.systemctl("start", unit.name, check=False)
            assert refused.returncode != 0 and "masked" in refused.stderr
        assert [unit.property("ActiveState") for unit in (shop, shop.listener)] == ["inactive", "inactive"]
    finally:
        shop.host.systemctl("unmask", shop.unit.name)
    shop.begin()
    assert shop.done()[-1] == "Start"


@pytest.fixture(params=ROOTS)
def rebooted(request):
    """A host that has booted with three applications, of which each is an instance that it starts or not."""
    with installed_host(f"{request.param}-end", ROOTS[request.param](), keeps_journal=True) as belfry:
        host = belfry.host
        host.run("sh", "-c", "rm -f /etc/systemd/system/multi-user.target.wants/*")
        applications = {kind: Application(host, kind) for kind in ("enabled", "disabled", "masked")}
        for application in applications.values():
            install = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n"
            host.write(f"/usr/lib/systemd/system/{application.unit.name}", install)
            application.write()
        host.systemctl("enable", "enabled.service", "masked.service")
        host.systemctl("mask", "masked.service")
        applications["enabled"].begin()
        applications["enabled"].ctl("pause")
        host.reboot("multi-user.target")
        yield applications


def test_a_boot_starts_the_applications_of_enabled_units_only(rebooted):
    rebooted["enabled"].wait_until_up()
    host = rebooted["enabled"].host
    states = {kind: application.property("ActiveState") for kind, application in rebooted.items()}
    assert states == {"enabled": "active", "disabled": "inactive", "masked": "inactive"}
    # What was paused before is resumed, as after any new start of the unit.
    enabled, rest = rebooted["enabled"], [rebooted[kind].done() for kind in ("disabled", "masked")]
    enabled.wait_for(lambda: enabled.done() == ["Start", "Pause", "Stop", "Start", "Resume"], "end the pause")
    assert rest == [[], []] and enabled.says("enabled.service has started again, which ends the pause since ")
    assert host.systemctl("list-units", "--failed", "--plain", "--no-legend", "belfry*").stdout == ""
    listed = {line.split()[0]: line.split()[1] for line in host.run("belfryctl", "list").stdout.splitlines()[1:]}
    assert listed == {"belfryd@enabled": "active", "belfryd@disabled": "-", "belfryd@masked": "-"}
