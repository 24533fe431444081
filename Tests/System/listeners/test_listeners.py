# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs as listeners, run by belfry-listener@.service."""

import json
import re

import pytest
from belfry_service import SERVICE
from documentation import code_block
from hosted_unit import HostedUnit


def test_script_refuses_a_reload_with_its_reason(listener):
    listener.write("willReload", '#!/bin/sh\necho "asked: $BELFRY_SIGNAL"\necho first >&2\necho "busy ${BELFRY_STATE}" >&2\nexit 4\n')
    listener.belfry.start()
    listener.start()

    done = listener.host.systemctl("reload", SERVICE, check=False)

    assert done.returncode != 0
    assert "listener 'guard' refused willReload: first; busy active" in listener.belfry.messages()
    assert listener.lines()[-4:] == ["asked: ", "first", "busy active", "failed at willReload: first; busy active"]
    [report] = [r for r in listener.belfry.journal() if r.get("BELFRY_LISTENER") == "guard" and "BELFRY_OUTCOME" in r]
    assert (report["BELFRY_NOTIFICATION"], report["BELFRY_OUTCOME"]) == ("willReload", "refused")
    record = next(r for r in listener.journal() if r["MESSAGE"] == "first")
    assert (record["BELFRY_NOTIFICATION"], record["_SYSTEMD_UNIT"]) == ("willReload", listener.name)
    failed = next(r for r in listener.journal() if r["MESSAGE"].startswith("failed at"))
    assert failed["BELFRY_OUTCOME"] == "refused" and int(failed["BELFRY_DURATION_USEC"]) > 0 and failed["MESSAGE_ID"]
    listener.host.systemctl("stop", listener.name)
    listener.host.systemctl("reload", SERVICE)


def test_explanation_and_list_count_the_program(listener):
    listener.write("willReload", "#!/bin/sh\n", "Timeout=7s\n")
    listener.belfry.start()
    listener.start()
    listener.belfry.ctl("reload")

    step = json.loads(listener.belfry.ctl("explain", "HUP", "--json").stdout)["steps"][0]
    [planned] = [one for one in step["listeners"] if one["name"] == "guard"]
    [row] = [one for one in listener.belfry.listeners() if one["name"] == "guard"]

    assert (step["name"], planned["deadlineUsec"]) == ("willReload", 7_000_000)
    assert (row["calls"], row["failures"]) == (1, 0)
    assert re.search(r"^ +\d+  guard +7 s  healthy +1 +0  completed, .* willReload$", listener.belfry.ctl("listeners").stdout, re.M)


@pytest.mark.parametrize("end", ["restart", "kill"])
def test_listener_that_restarts_in_a_run_attaches_again(listener, end):
    listener.write("com.example.bell", "#!/bin/sh\necho begun\nsleep 0.3\necho ended\n")
    listener.drop_in("[Service]\nRestartSec=0\n")
    listener.belfry.start()
    listener.start()
    listener.belfry.ctl("post", "com.example.bell")
    listener.wait_for_line("begun")
    pid = listener.property("MainPID")

    if end == "restart":
        listener.host.systemctl("restart", listener.name)
    else:
        listener.kill("KILL")
    listener.wait_for(lambda: listener.property("MainPID") not in ("0", pid), "start again")
    listener.wait_until_attached()

    listener.belfry.ctl("post", "com.example.bell", "--wait")
    assert listener.lines().count("begun") == 2


def test_listener_whose_name_is_taken_tries_again_until_it_is_free(listener):
    listener.write("com.example.bell", "#!/bin/sh\n")
    listener.drop_in("[Service]\nRestartSec=0\n")
    listener.belfry.start()
    command = ("belfryctl", "attach", listener.listener, "--on", "com.example.other", "--", "true")
    listener.host.run("systemd-run", "--quiet", "--unit=taker", *command)
    listener.wait_until_attached()

    listener.host.systemctl("start", listener.name, check=False)
    listener.wait_for(lambda: int(listener.property("NRestarts")) > 5, "try again")
    listener.host.systemctl("stop", "taker")

    listener.wait_for(
        lambda: any("com.example.bell" in one["interests"] for one in listener.belfry.listeners()), "attach"
    )


def test_program_that_stops_the_listener_is_ended_by_the_watchdog(listener):
    listener.write("com.example.x", "#!/bin/sh\nkill -STOP $PPID\nsleep 1000\n", "Timeout=1s\n")
    listener.drop_in("[Service]\nWatchdogSec=2s\nRestartSec=100ms\n")
    listener.belfry.start()
    listener.start()
    before = listener.main_pid()

    listener.belfry.ctl("post", "com.example.x")

    listener.wait_for(lambda: listener.main_pid() not in (0, before), "be started again")
    listener.wait_until_attached()
    assert listener.process_names() == ["belfry-listener"]


@pytest.mark.parametrize(
    "setting, reason",
    [
        ("Delegate=no", "the control group is not delegated (Delegate=yes)"),
        ("ProtectControlGroups=yes", "ProtectControlGroups= makes control groups read-only"),
    ],
)
def test_setting_of_the_unit_that_takes_its_control_groups_is_named(listener, setting, reason):
    listener.write("com.example.bell", "#!/bin/sh\n")
    listener.drop_in(f"[Service]\n{setting}\n")
    listener.belfry.start()
    listener.start()

    assert any(reason in line for line in listener.lines()), listener.lines()


def test_listener_takes_little_memory_and_has_one_thread(listener):
    listener.write("com.example.bell", "#!/bin/sh\n")
    listener.belfry.start()
    listener.start()
    listener.belfry.ctl("post", "com.example.bell", "--wait")

    status = listener.process_status()

    assert int(status["VmRSS"].split()[0]) <= 6 * 1024, status
    assert status["Threads"].strip() == "1"


def test_program_has_network_and_another_user_by_the_printed_drop_in(listener):
    listener.write("com.example.bell", "#!/bin/sh\nid -un\necho hello >/srv/backup/file && echo written\n")
    listener.host.run("install", "-d", "-o", "backup", "/srv/backup")
    drop_in = code_block("ini", "User=backup")
    listener.drop_in(drop_in[drop_in.index("[Service]") :])
    listener.belfry.start()
    listener.start()

    listener.belfry.ctl("post", "com.example.bell", "--wait")

    lines = listener.lines()
    assert "backup" in lines and "written" in lines, lines
    network = listener.host.run("readlink", f"/proc/{listener.main_pid()}/ns/net").stdout
    assert network == listener.host.run("readlink", "/proc/1/ns/net").stdout
    assert network != listener.host.run("readlink", f"/proc/{listener.belfry.main_pid()}/ns/net").stdout


def test_program_has_the_settings_of_the_unit_and_each_run_its_control_group(listener):
    listener.write("com.example.bell", "#!/bin/sh\necho $GREETING $PWD $(ulimit -n)\nsed -n 's,^0::.*/,,p' /proc/self/cgroup\n")
    listener.drop_in("[Service]\nEnvironment=GREETING=hello\nWorkingDirectory=/usr\nLimitNOFILE=77\n")
    listener.belfry.start()
    listener.start()

    for _ in range(2):
        listener.belfry.ctl("post", "com.example.bell", "--wait")

    assert listener.lines()[-4:] == ["hello /usr 77", "run-1", "hello /usr 77", "run-2"]


def test_attach_from_a_shell(started_on_each):
    belfry = started_on_each
    command = ["attach", "shell", "--on", "com.example.bell", "--", "sh", "-c", 'echo "$BELFRY_USER_INFO"; echo why >&2; exit 1']
    with belfry.running_ctl(*command) as attached:
        assert "attached" in attached.stderr.readline()
        result = json.loads(belfry.ctl("post", "com.example.bell", "a=b", "--wait", "--json", check=False).stdout)
        assert attached.stdout.readline() == '{"a":"b"}\n'
        assert attached.stderr.readline() == "why\n"
    report = next(r for r in result["reports"] if r["listener"] == "shell")
    assert (report["outcome"], report["reason"]) == ("failed", "why")


def test_a_run_ends_nothing_that_was_there_before_belfry_listener(listener):
    """A shell has left a loop before `exec`, which starts a program again and again."""
    listener.write("com.example.bell", "#!/bin/sh\n")
    exec_line = "ExecStart=/bin/sh -c '(while :; do sleep 1000; done) & exec belfry-listener %i'"
    listener.drop_in(f"[Service]\nExecStart=\n{exec_line}\n")
    listener.belfry.start()
    listener.start()

    for _ in range(2):
        listener.belfry.ctl("post", "com.example.bell", "--wait")

    assert listener.process_names() == ["belfry-listener", "sh", "sleep"]
    assert any("the control group is not that of this process alone" in line for line in listener.lines())


def test_a_run_does_not_end_what_systemd_runs_for_the_unit(listener):
    """`ExecReload=` runs in the group `.control` of a unit with `Delegate=`."""
    listener.write("com.example.bell", "#!/bin/sh\nsleep 1000 &\n")
    listener.drop_in("[Service]\nExecReload=/bin/sleep 1000\n")
    listener.belfry.start()
    listener.start()
    listener.host.systemctl("reload", "--no-block", listener.name)
    listener.wait_for(lambda: "sleep" in listener.process_names(), "run ExecReload=")

    for _ in range(2):
        listener.belfry.ctl("post", "com.example.bell", "--wait")

    # What a run has started takes a moment to end.
    listener.wait_for(lambda: len(listener.process_names()) <= 2, "end what the runs have started")
    assert listener.process_names() == ["belfry-listener", "sleep"]


def test_attach_in_a_delegated_group_ends_nothing_but_its_runs(started_on_each):
    """A shell and its other programs share the control group with it, and groups of their own."""
    belfry = started_on_each
    script = """
    own=/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)
    mkdir "$own/other"
    sleep 1000 & echo $! >"$own/other/cgroup.procs"
    sleep 1000 &
    belfryctl attach shell --on com.example.bell -- sh -c 'sleep 1000 &' &
    wait
    """
    unit = HostedUnit(belfry.host, "delegated.service")
    belfry.host.run("systemd-run", "--quiet", f"--unit={unit.name}", "-p", "Delegate=yes", "sh", "-c", script)
    try:
        belfry.wait_for(lambda: "shell" in [one["name"] for one in belfry.listeners()], "attach")
        for _ in range(2):
            belfry.ctl("post", "com.example.bell", "--wait")
        # What a run has started takes a moment to end.
        belfry.wait_for(lambda: len(unit.process_names()) <= 4, "end what the runs have started")
        assert unit.process_names() == ["belfry-listener", "sh", "sleep", "sleep"]
    finally:
        belfry.host.systemctl("stop", unit.name)
