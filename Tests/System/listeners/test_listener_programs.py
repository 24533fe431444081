# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Programs that misbehave as listeners, and listeners that are enabled at boot."""

import json

import pytest
from belfry_service import SERVICE, installed_host
from host_roots import ROOTS
from listener_unit import FOLDER, ListenerUnit

BELL = "com.example.bell"
ENABLED = "/etc/systemd/system/multi-user.target.wants"


@pytest.fixture(scope="module", params=["machine_host", "trixie_host"])
def guard(request):
    """An attached listener with a timeout of three seconds, whose program the tests replace. It serves all of them."""
    belfry = request.getfixturevalue(request.param)
    belfry.reset()
    unit = ListenerUnit(belfry, "guard")
    unit.write(BELL, "#!/bin/sh\n", "Timeout=3s\n")
    belfry.start()
    unit.start()
    yield unit
    unit.remove()


def ring(guard: ListenerUnit, script: str | None = None, mode: int = 0o755) -> dict:
    """Replaces the program, has it run, and returns how the service reports it. Nothing of the program is left."""
    if script is not None:
        guard.host.write(guard.program, f"#!/bin/sh\n{script}\n")
        guard.host.path(guard.program).chmod(mode)
    guard.skip_old_records()
    text = "text=" + "x" * 100000
    result = guard.belfry.ctl("post", BELL, text, "--wait", "--json", check=False)
    [report] = [report for report in json.loads(result.stdout)["reports"] if report["listener"] == "guard"]
    guard.wait_for(lambda: guard.process_names() == ["belfry-listener"], "end what the program has left")
    return report


def assert_ended_at_the_deadline(guard: ListenerUnit, script: str) -> None:
    assert ring(guard, script)["outcome"] == "overran"
    guard.wait_for_line(f"failed at {BELL}: ended after its timeout of 3 s")
    assert ring(guard, "exit 0")["outcome"] == "completed"


def test_program_that_ignores_the_stop_signals(guard):
    assert_ended_at_the_deadline(guard, "trap '' TERM HUP INT; setsid sh -c 'trap \"\" TERM; sleep 1000' & while :; do sleep 1; done")


def test_program_that_floods_both_outputs(guard):
    assert ring(guard, "yes output & yes errors >&2")["outcome"] == "overran"
    guard.wait_for_line(f"failed at {BELL}: ended after its timeout of 3 s")

    lines = guard.lines()
    assert 1000 <= len(lines) <= 2 * 1000 + 10
    assert any("lines of output dropped" in line for line in lines)
    assert ring(guard, "exit 0")["outcome"] == "completed"
    assert int(guard.process_status()["VmRSS"].split()[0]) <= 16 * 1024


def test_program_that_forks_and_leaves(guard):
    assert ring(guard, "sleep 1000 & echo left")["outcome"] == "completed"
    assert guard.lines() == ["left"]


def test_program_that_becomes_a_daemon(guard):
    report = ring(guard, "setsid sh -c 'setsid sleep 1000 & exec sleep 1000' </dev/null >/dev/null 2>&1 &")
    assert report["outcome"] == "completed"
    assert ring(guard, "exit 0")["outcome"] == "completed"
    # The group of the last run may still be there.
    assert len(guard.groups()) <= 1


# Leaves a process in each place of the unit's control group that the program may write to, and waits until all have moved.
UNIT = r"unit=/sys/fs/cgroup$(sed -n 's,^0::\(.*\)/run-.*,\1,p' /proc/self/cgroup)"
STAY = rf"""
{UNIT}
odd=$unit/$(printf '\377')
mkdir -p "$unit/mine/deep" "$odd" "$unit/run-999"
for group in "$unit" "$unit/mine" "$unit/mine/deep" "$odd" "$unit/run-999"; do
    setsid sh -c 'echo $$ >"$1/cgroup.procs" && exec sleep 1000' sh "$group" &
done
all() {{ cat "$unit/cgroup.procs" "$unit/mine/cgroup.procs" "$unit/mine/deep/cgroup.procs" "$odd/cgroup.procs" "$unit/run-999/cgroup.procs"; }}
# With belfry-listener itself.
until [ "$(all | wc -l)" -eq 6 ]; do :; done
"""


def test_program_that_wants_to_stay(guard):
    """In the group of belfry-listener, in groups beside its own, and in one whose name is no text."""
    assert ring(guard, STAY)["outcome"] == "completed"
    assert ring(guard, "exit 0")["outcome"] == "completed"

    # That of the last run may still be there.
    guard.wait_for(lambda: len(guard.group_names()) <= 1, "remove the groups")


@pytest.mark.parametrize("place", ["$unit", "$unit/mine"])
def test_program_that_moves_away_is_ended_at_its_deadline(guard, place):
    move = f'{UNIT}; mkdir -p "$unit/mine"; echo $$ >"{place}/cgroup.procs"'

    assert ring(guard, f"{move}; sleep 1000")["outcome"] == "overran"
    # Forks until the unit has no more tasks.
    ring(guard, f"{move}; f() {{ sleep 1000 & f & }}; f 2>/dev/null; wait")

    assert ring(guard, "exit 0")["outcome"] == "completed"


def test_program_that_is_ended_by_a_signal(guard):
    assert ring(guard, "kill -SEGV $$")["reason"] == "ended by SIGSEGV"
    guard.wait_for_line(f"failed at {BELL}: ended by SIGSEGV")


def test_check_reports_what_a_run_meets(guard):
    problem = f"the interpreter of '{guard.program}', '/none/sh': No such file or directory (ENOENT)"
    guard.host.write(guard.program, "#!/none/sh\n")
    guard.host.path(guard.program).chmod(0o755)

    assert ring(guard)["reason"] == f"unable to run it: {problem}"
    check = guard.host.run("belfryd", "--check-config", check=False)
    assert (check.returncode, check.stderr) == (78, f"{FOLDER}/guard.listener:3:1: error: {problem}\n")
    guard.host.path(guard.program).chmod(0o700)
    guard.host.write(guard.program, "#!/bin/sh\n")
    check = guard.host.run("belfryd", "--check-config", check=False)
    assert "of belfry-listener@guard.service cannot execute" in check.stderr


@pytest.fixture(params=ROOTS)
def rebooted(request):
    """A host of its own, where service and listener are started at boot."""
    with installed_host(f"{request.param}-end", ROOTS[request.param](), keeps_journal=True) as belfry:
        host = belfry.host
        unit = ListenerUnit(belfry, "guard")
        script = '#!/bin/sh\necho "at $BELFRY_NOTIFICATION $BELFRY_USER_INFO"\nsleep 1\necho done\n'
        unit.write("willTerminate", script, "RunOnStart=yes\n")
        # This machine's own services are not needed.
        host.run("sh", "-c", f"rm -f {ENABLED}/*")
        host.systemctl("enable", SERVICE, unit.name)
        host.reboot("multi-user.target")
        yield unit


def test_listener_enabled_at_boot_attaches_and_is_there_at_the_end_of_the_host(rebooted):
    assert sorted(path.name for path in rebooted.host.path(ENABLED).iterdir()) == [rebooted.name, SERVICE]
    rebooted.belfry.wait_for(lambda: rebooted.belfry.property("ActiveState") == "active", "start at boot", 30)
    rebooted.wait_until_attached()
    rebooted.wait_for(lambda: "done" in rebooted.lines(), "run after the attachment")

    rebooted.host.systemctl("reboot", check=False)
    rebooted.host.wait_for_end()

    lines = [record["MESSAGE"] for record in rebooted.host.journal_left("SYSLOG_IDENTIFIER=guard")]
    assert 'at willTerminate {"reason":"reboot"' in "\n".join(lines)
    assert lines[-1] == "done" or "done" in lines[-3:]


def test_health_of_a_listener_is_told_and_the_watchdog_goes_on(started):
    # Not the name of the one that serves the tests above.
    nurse = ListenerUnit(started, "nurse")
    sick = started.host.path("/srv/nurse.sick")
    try:
        nurse.write("willReload", "#!/bin/sh\n", "Health=/bin/sh -c 'test ! -e /srv/nurse.sick'\nHealthInterval=1s\n")
        nurse.start()
        sick.touch()
        told = "nurse is degraded: Health= failed: exit status 1"
        started.wait_for(lambda: told in started.ctl("is-active", check=False).stdout, "notice that it does not work")
        sick.unlink()
        started.wait_for(lambda: started.ctl("is-active", check=False).returncode == 0, "notice that it works again")
        assert started.property("NRestarts") == "0"
    finally:
        sick.unlink(missing_ok=True)
        nurse.remove()
