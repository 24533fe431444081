# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""`Stop=` comes when `ExecStop=` of the unit would: after everything that is ordered after the unit has stopped. A stop that is
called off is undone."""

import json

import pytest
from application import Application
from belfry_service import installed_host
from host_roots import ROOTS

LOG = "/srv/shop.log"


@pytest.fixture
def shop(on_each):
    shop = Application(on_each.host)
    shop.helpers = []
    try:
        yield shop
    finally:
        for name in shop.helpers:
            shop.host.systemctl("stop", name, check=False)
            shop.host.path(f"/run/systemd/system/{name}").unlink(missing_ok=True)
        shop.remove()


def begin(shop: Application) -> None:
    shop.write_unit(more=getattr(shop, "more", ""))
    shop.write()
    shop.begin()
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.clear()


def add_helper(shop: Application, name: str, bond: str, work: str = "sleep 0.5", more: str = "") -> None:
    """A unit that is ordered after another, and has something to do when it stops, with the help of the other."""
    end = f"ExecStop=/bin/sh -c '{work}; echo {name} saved >>{LOG}'\n"
    shop.host.write(f"/run/systemd/system/{name}", f"[Unit]\n{bond}\n[Service]\nExecStart=/bin/sleep infinity\n{end}{more}\n")
    shop.helpers.append(name)


def start_helpers(shop: Application) -> None:
    shop.host.systemctl("daemon-reload")
    shop.host.systemctl("start", *shop.helpers)


def begin_with_a_stop_at_the_gate(shop: Application) -> None:
    shop.commands["Stop"] = f"/bin/sh -c 'echo Stop >>{LOG}; {shop.at_gate}'"
    begin(shop)
    shop.close_gate()


def begin_stop_behind_a_worker(shop: Application) -> None:
    """Returns when the instance waits for a unit that waits until the gate is opened."""
    shop.close_gate()
    add_helper(shop, "worker.service", "Requires=shop.service\nAfter=shop.service", shop.at_gate, "TimeoutStopSec=infinity")
    start_helpers(shop)
    shop.host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: "waiting for 'worker.service'" in shop.property("StatusText"), "wait")


@pytest.mark.parametrize("bond", ["Requires", "Requisite", "StopPropagatedFrom"])
def test_explain_counts_what_a_stop_will_run(shop, bond):
    shop.more = "TimeoutStopSec=40s\n"
    begin(shop)
    add_helper(shop, "worker.service", f"{bond}=shop.service\nAfter=shop.service")
    add_helper(shop, "bystander.service", "After=shop.service")
    start_helpers(shop)
    with shop.running_ctl("-i", shop.instance, "hold", "--reason", "backup"):
        shop.wait_for(lambda: "Held for: backup" in shop.ctl("status").stdout, "be held")
        assert [one["reason"] for one in shop.status()["holds"]] == ["backup"]
        assert "held for backup (pid " in shop.host.run("belfryctl", "list").stdout
        lines = shop.ctl("explain", "stop").stdout.splitlines()
        reply = json.loads(shop.ctl("explain", "stop", "--json").stdout)
    assert lines[0].startswith("SIGTERM (15): stop, ") and lines[1] == "Waits until worker.service has stopped."
    assert lines[2].startswith("Waits for task or hold 'backup', at most ")
    assert lines[-1] == "Then shop.service stops, with TimeoutStopSec=40 s."
    called = {step["name"]: [one["name"] for one in step["listeners"]] for step in reply["steps"]}
    assert "shop" in called["willTerminate"] and "shop" not in called["didEnterBackground"]
    # A pause runs Pause=.
    pause = json.loads(shop.ctl("explain", "pause", "--json").stdout)
    assert (pause["signal"], "unit" in pause) == ("SIGTSTP", False)
    assert "shop" in [one["name"] for one in pause["steps"][1]["listeners"]]


@pytest.mark.parametrize("bond", ["Requires", "Requisite", "BindsTo", "PartOf", "StopPropagatedFrom"])
def test_what_is_ordered_after_the_unit_stops_before_stop_runs(shop, bond):
    begin(shop)
    add_helper(shop, "worker.service", f"{bond}=shop.service\nAfter=shop.service")
    start_helpers(shop)
    shop.host.systemctl("stop", "shop.service")
    assert shop.done() == ["worker.service saved", "Stop", "unit ended"]
    assert shop.host.properties("worker.service", "Result") == {"Result": "success"}


def test_a_chain_of_units_and_a_restart(shop):
    begin(shop)
    add_helper(shop, "worker.service", "Requires=shop.service\nAfter=shop.service")
    add_helper(shop, "feeder.service", "Requires=worker.service\nAfter=worker.service")
    start_helpers(shop)
    shop.host.systemctl("restart", "shop.service")
    shop.wait_until_up()
    shop.wait_for(lambda: shop.done()[-1] == "Start", "start again")
    assert shop.done() == ["feeder.service saved", "worker.service saved", "Stop", "unit ended", "Start"]
    assert shop.host.properties("worker.service", "ActiveState") == {"ActiveState": "active"}


def test_status_names_whom_the_stop_waits_for_and_stop_has_all_its_time(shop):
    """The dependent takes longer than the TimeoutStopSec= of the instance."""
    shop.commands["Stop"] = f"/bin/sh -c 'sleep 2; echo Stop >>{LOG}'"
    begin(shop)
    shop.host.write("/run/systemd/system/belfryd@shop.service.d/time.conf", "[Service]\nTimeoutStopSec=4s\n")
    try:
        add_helper(shop, "worker.service", "Requires=shop.service\nAfter=shop.service", "sleep 7")
        start_helpers(shop)
        shop.host.systemctl("stop", "--no-block", "shop.service")
        shop.wait_for(lambda: "waiting for 'worker.service'" in shop.property("StatusText"), "say whom it waits for")
        first, second = shop.ctl("status").stdout.splitlines()[:2]
        assert " is stopping since " in first and second.endswith("waiting for 'worker.service'")
        assert shop.property("StatusText").startswith("stopping, asked by ")
        shop.wait_for(lambda: shop.unit.property("ActiveState") == "inactive", "stop")
    finally:
        shop.host.path("/run/systemd/system/belfryd@shop.service.d/time.conf").unlink()
    assert shop.done() == ["worker.service saved", "Stop", "unit ended"]
    assert shop.property("Result") == "success"


def test_a_dependent_that_its_own_timeout_ends_is_waited_for_no_longer(shop):
    begin(shop)
    add_helper(shop, "worker.service", "Requires=shop.service\nAfter=shop.service", "sleep 600", "TimeoutStopSec=1s")
    start_helpers(shop)
    shop.host.systemctl("stop", "shop.service")
    assert shop.done() == ["Stop", "unit ended"]


def test_a_job_that_is_cancelled_is_waited_for_no_longer(shop):
    begin(shop)
    begin_stop_behind_a_worker(shop)
    assert shop.done() == []
    job = next(line.split()[0] for line in jobs(shop) if "worker.service" in line)
    shop.host.systemctl("cancel", job)
    shop.wait_for(lambda: shop.done() == ["Stop", "unit ended"], "go on")
    shop.host.systemctl("kill", "--signal=KILL", "worker.service")


def jobs(shop: Application) -> list[str]:
    return shop.host.systemctl("list-jobs", "--no-legend").stdout.splitlines()


def test_two_applications_one_after_the_other(on_each):
    store = Application(on_each.host, "store", Stop="/bin/sh -c 'sleep 0.5; echo store >>/srv/both.log'")
    till = Application(on_each.host, "till", Stop="/bin/sh -c 'sleep 0.5; echo till >>/srv/both.log'")
    log = on_each.host.path("/srv/both.log")
    try:
        store.write_unit()
        till.write_unit()
        text = on_each.host.path("/run/systemd/system/till.service").read_text()
        on_each.host.write(
            "/run/systemd/system/till.service", f"[Unit]\nRequires=store.service\nAfter=store.service\n{text}"
        )
        for application in (store, till):
            application.write()
            application.begin()
        on_each.host.systemctl("stop", "store.service")
        assert log.read_text() == "till\nstore\n"
    finally:
        till.remove()
        store.remove()
        log.unlink(missing_ok=True)


def test_a_second_signal_waits_for_nobody(shop):
    begin(shop)
    begin_stop_behind_a_worker(shop)
    shop.kill("TERM")
    shop.wait_for(lambda: shop.property("ActiveState") != "deactivating", "end at once")
    shop.host.systemctl("kill", "--signal=KILL", "worker.service")


# Something happens in the wait


def let_go_on(shop: Application) -> None:
    """The stop goes on, and ends."""
    shop.open_gate()
    shop.wait_for(lambda: shop.unit.property("ActiveState") == "inactive", "let its unit stop", 60)


@pytest.mark.parametrize("command", ["daemon-reload", "daemon-reexec"])
def test_systemd_reloads_in_the_wait(shop, command):
    begin(shop)
    begin_stop_behind_a_worker(shop)
    shop.host.systemctl(command)
    let_go_on(shop)
    assert shop.done() == ["worker.service saved", "Stop", "unit ended"]


def test_the_instance_is_killed_in_the_wait(shop):
    begin(shop)
    begin_stop_behind_a_worker(shop)
    shop.kill("KILL")
    let_go_on(shop)
    # systemd does not start it again, because it is to be stopped, and shows how it ended.
    assert shop.done() == ["worker.service saved", "unit ended"]
    assert shop.property("Result") == "signal"


def test_the_listener_is_killed_in_the_wait(shop):
    begin(shop)
    begin_stop_behind_a_worker(shop)
    shop.listener.kill("KILL")
    let_go_on(shop)
    # systemd does not start it again, because it is to be stopped.
    assert shop.done() == ["worker.service saved", "unit ended"]
    assert shop.says("belfry-listener@shop.service is not attached, Stop= does not run")


EARLY = "Stop= may run before what is ordered after shop.service has stopped"


def send_to_the_bus(shop: Application, signal: str) -> None:
    shop.host.systemctl("kill", f"--signal={signal}", "dbus.service")


def test_a_bus_that_hangs_is_told_and_nobody_is_waited_for(shop):
    begin(shop)
    add_helper(shop, "worker.service", "Requires=shop.service\nAfter=shop.service", "sleep 1")
    start_helpers(shop)
    send_to_the_bus(shop, "STOP")
    try:
        shop.host.systemctl("stop", "--no-block", "shop.service")
        shop.wait_for(lambda: shop.says(EARLY), "say that it may be early")
    finally:
        send_to_the_bus(shop, "CONT")
    let_go_on(shop)


def test_a_manager_that_does_not_say_whether_the_stop_was_called_off_is_told(shop):
    begin_with_a_stop_at_the_gate(shop)
    shop.host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: shop.done() == ["Stop"], "run Stop=")
    send_to_the_bus(shop, "STOP")
    shop.open_gate()
    try:
        doubt = "listener 'application' failed at willTerminate: systemd does not say whether shop.service still stops"
        shop.wait_for(lambda: shop.says(doubt), "say that it does not know")
    finally:
        send_to_the_bus(shop, "CONT")
    let_go_on(shop)
    assert shop.done() == ["Stop", "unit ended"]


# Stops that are called off


@pytest.mark.parametrize("call_off", ["start", "cancel"])
def test_a_stop_that_is_called_off_after_stop_is_undone(shop, call_off):
    begin_with_a_stop_at_the_gate(shop)
    pid = shop.unit.main_pid()
    shop.host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: shop.done() == ["Stop"], "run Stop=")
    do_call_off(shop, call_off)
    shop.wait_for(lambda: shop.done() == ["Stop", "Resume"], "undo it")
    assert shop.listener_says("Resume= ran") or shop.says("Resume= is run")
    assert shop.unit.main_pid() == pid and shop.unit.property("ActiveState") == "active"
    if call_off == "start":
        shop.wait_until_up()
        shop.wait_for(lambda: shop.ctl("is-active", check=False).returncode == 0, "be healthy")
        assert shop.done() == ["Stop", "Resume"]
    else:
        # Nobody starts the instance again, which is told until somebody does.
        shop.wait_for(lambda: shop.property("ActiveState") == "inactive", "end")
        told = shop.host.run("belfryctl", "list", "--failed", check=False)
        line = "belfryd@shop: shop.service is active (running), but not belfryd@shop, see 'belfryctl enable shop'\n"
        assert told.returncode == 1 and line in told.stdout


def do_call_off(shop: Application, how: str) -> None:
    if how == "start":
        shop.host.systemctl("start", "--no-block", "shop.service")
    else:
        job = next(line.split()[0] for line in jobs(shop) if " shop.service" in line)
        shop.host.systemctl("cancel", job)
    shop.open_gate()


@pytest.mark.parametrize("call_off", ["start", "cancel"])
def test_a_stop_that_is_called_off_before_stop_runs_nothing(shop, call_off):
    begin(shop)
    begin_stop_behind_a_worker(shop)
    do_call_off(shop, call_off)
    shop.wait_for(lambda: shop.listener_says("shop.service runs on, Stop= does not run"), "say that it does not run")
    shop.wait_for(lambda: shop.done() == ["worker.service saved"], "let the other stop")


def test_without_resume_the_instance_says_that_stop_has_run(shop):
    shop.commands["Resume"] = ""
    begin_with_a_stop_at_the_gate(shop)
    shop.host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: shop.done() == ["Stop"], "run Stop=")
    do_call_off(shop, "start")
    shop.wait_until_up()
    text = "Stop= has run, and shop.service runs on"
    shop.wait_for(lambda: shop.ctl("is-active", check=False).returncode == 1, "be degraded")
    assert text in shop.ctl("is-active", check=False).stdout and shop.says(text)
    shop.host.systemctl("restart", "shop.service")
    shop.wait_until_up()
    shop.wait_for(lambda: shop.ctl("is-active", check=False).returncode == 0, "be healthy in the next run")


def test_a_crash_between_stop_and_its_end_is_undone_by_the_next_process(shop):
    shop.commands["Stop"] = f"/bin/sh -c 'echo Stop >>{LOG}; sleep 30'"
    begin(shop)
    shop.host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: shop.done() == ["Stop"], "run Stop=")
    shop.host.systemctl("start", "--no-block", "shop.service")
    shop.host.systemctl("kill", "--signal=KILL", shop.name)
    shop.wait_for(lambda: shop.done()[:2] == ["Stop", "Resume"], "undo it", 60)


def test_a_paused_application_whose_stop_is_called_off_stays_paused_and_says_so(shop):
    begin_with_a_stop_at_the_gate(shop)
    shop.ctl("pause")
    shop.host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: shop.done() == ["Pause", "Stop"], "run Stop=")
    do_call_off(shop, "start")
    shop.wait_until_up()
    shop.wait_for(lambda: shop.state() == "background", "be paused")
    assert "Stop= has run, and shop.service runs on" in shop.ctl("status").stdout
    shop.ctl("resume")
    shop.wait_for(lambda: shop.ctl("is-active", check=False).returncode == 0, "be healthy")
    assert shop.done() == ["Pause", "Stop", "Resume"] and "failedCommands" not in shop.status()


# Stops that fail


def test_a_failed_stop_is_known_until_the_next_one_succeeds(shop):
    shop.commands["Stop"] = "/bin/sh -c 'echo the disk is full >&2; exit 1'"
    begin(shop)
    assert "failedCommands" not in shop.status()
    shop.host.systemctl("stop", "shop.service")
    for options in ([], ["--failed"]):
        assert "Z: shop: Stop=: the disk is full" in shop.host.run("belfryctl", "list", *options, check=False).stdout
    shop.begin()
    # Neither a restart of Belfry nor a crash is a stop of the unit.
    for signal in ("TERM", "KILL"):
        told = shop.status()["failedCommands"]["Stop"]
        assert told.startswith("20") and told.endswith("Z: shop: Stop=: the disk is full")
        belfryd = shop.main_pid()
        shop.kill(signal)
        if signal == "TERM":
            shop.host.systemctl("start", shop.name)
        shop.wait_for_another(belfryd)
        shop.wait_until_up()
        assert shop.status()["failedCommands"]["Stop"] == told
    shop.commands["Stop"] = "/bin/true"
    shop.write()
    shop.host.run("belfryctl", "enable", "shop")
    shop.host.systemctl("restart", "shop.service")
    shop.wait_until_up()
    assert "failedCommands" not in shop.status()


def test_a_failed_stop_is_known_after_a_reboot(shop):
    shop.commands["Stop"] = "/bin/sh -c 'echo the disk is full >&2; exit 1'"
    begin(shop)
    shop.host.systemctl("stop", "shop.service")
    # As a reboot does.
    shop.host.run("rm", "-r", "/run/belfry@shop")
    failed = shop.host.run("belfryctl", "list", "--failed", check=False)
    assert "Z: shop: Stop=: the disk is full" in failed.stdout and failed.returncode == 1
    shop.begin()
    assert shop.status()["failedCommands"]["Stop"].endswith("Z: shop: Stop=: the disk is full")


@pytest.mark.parametrize("end", ["stopped", "killed"])
def test_a_stop_without_belfry_is_told_at_the_next_start(shop, end):
    begin(shop)
    if end == "killed":
        # It starts again after a while, and the stop comes before.
        shop.host.systemctl("kill", "--signal=KILL", shop.name)
    else:
        shop.host.systemctl("stop", shop.name)
    shop.host.systemctl("stop", "shop.service")
    assert "Stop" not in shop.done()
    shop.begin()
    told = lambda: shop.status().get("failedCommands", {}).get("Stop", "").endswith("Z: Stop= had not run when shop.service started again")  # noqa: E731
    shop.wait_for(told, "say that Stop= did not run")
    # Ends that are no stop, or at which it runs.
    shop.host.systemctl("restart", "shop.service")
    shop.wait_until_up()
    assert shop.done()[-3:] == ["Stop", "unit ended", "Start"] and "failedCommands" not in shop.status()
    shop.unit.kill("KILL")
    shop.wait_for(lambda: shop.property("ActiveState") == "inactive", "end with its unit")
    shop.begin()
    assert "failedCommands" not in shop.status()


# The end of the machine


@pytest.fixture(params=ROOTS)
def host(request):
    with installed_host(f"{request.param}-stops", ROOTS[request.param]()) as belfry:
        yield belfry.host


EARLY_UNIT = "[Unit]\nDefaultDependencies=no\nBefore=local-fs.target shutdown.target\nConflicts=shutdown.target\n"


def with_a_worker(host, more: str = "") -> Application:
    shop = Application(host)
    shop.helpers = []
    shop.more = more
    begin(shop)
    add_helper(shop, "worker.service", "Requires=shop.service\nAfter=shop.service", "sleep 1")
    start_helpers(shop)
    return shop


@pytest.mark.parametrize("verb, order", [("reboot", ""), ("reboot", EARLY_UNIT), ("poweroff", EARLY_UNIT)])
def test_a_shutdown_stops_dependents_first_and_does_not_wait_in_a_circle(host, verb, order):
    shop = with_a_worker(host, order)
    host.systemctl(verb)
    host.wait_for_end()
    host.boot_again()
    assert shop.done() == ["worker.service saved", "Stop", "unit ended"]
    shop.remove()
    host.path("/run/systemd/system/worker.service").unlink(missing_ok=True)
    shop.clear()


STAGE = "[Unit]\nAllowIsolate=yes\nRequires=basic.target\nWants=dbus.service systemd-logind.service\n"


def test_an_isolated_target_that_wants_the_unit_calls_its_stop_off(host):
    shop = Application(host)
    begin_with_a_stop_at_the_gate(shop)
    pid = shop.unit.main_pid()
    host.write("/run/systemd/system/stage.target", f"{STAGE}Wants=shop.service\n")
    host.systemctl("daemon-reload")
    host.systemctl("stop", "--no-block", "shop.service")
    shop.wait_for(lambda: shop.done() == ["Stop"], "run Stop=")
    host.systemctl("isolate", "--no-block", "stage.target")
    shop.open_gate()
    shop.wait_for(lambda: shop.done() == ["Stop", "Resume"], "undo it")
    shop.wait_until_up()
    assert shop.unit.main_pid() == pid and shop.state() == "active"


def test_the_bus_is_lost_and_a_target_is_isolated(host):
    """Both leave a host that is of no use to other tests."""
    shop = with_a_worker(host)
    host.write("/run/systemd/system/stage.target", STAGE)
    host.systemctl("daemon-reload")
    host.systemctl("isolate", "stage.target")
    let_go_on(shop)
    assert shop.done() == ["worker.service saved", "Stop", "unit ended"]

    shop.clear()
    shop.begin()
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.clear()
    begin_stop_behind_a_worker(shop)
    send_to_the_bus(shop, "KILL")
    shop.wait_for(lambda: shop.says("unable to wait for 'worker.service': "), "say that it cannot wait")
    assert shop.says(EARLY)
    let_go_on(shop)
    assert shop.done().count("unit ended") == 1 and shop.done().count("Stop") <= 1
