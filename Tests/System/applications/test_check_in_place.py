# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Whether the commands of an application can be run is looked at where they run, and `enable` says what was found."""

import re

import pytest
from application import VERBS, Application

FOLDER = "/opt/kiosk/bin"
PROGRAM = f"{FOLDER}/kioskctl"
SCRIPT = "#!/bin/sh\necho ok\n"
SHELL_PATH = f"PATH={FOLDER}:/usr/bin:/bin"
DROP_INS = "/etc/systemd/system/belfry-listener@shop.service.d"
MISSING = "the program '{}': No such file or directory (ENOENT)"
UNNAMED = "there is no program 'kioskctl' in $PATH"
STANDS = "shop: belfryd@shop.service stands for shop.service\n"
PRESSURE = "/sys/fs/cgroup/system.slice/shop.service"


@pytest.fixture
def shop(on_each):
    """Its unit runs. The only command is Pause=, of a user without privileges."""
    shop = Application(on_each.host, **dict.fromkeys(VERBS, ""))
    try:
        put(shop, PROGRAM)
        shop.write_unit()
        shop.host.systemctl("daemon-reload")
        shop.host.systemctl("start", shop.unit.name)
        yield shop
    finally:
        shop.host.run("sh", "-c", f"umount /srv/noexec; rm -rf {DROP_INS} /opt/kiosk /opt/inside /srv/noexec /tmp/k.sh")
        shop.remove()


def put(shop: Application, path: str) -> None:
    shop.host.write(path, SCRIPT)
    shop.host.path(path).chmod(0o755)


def listener_has(shop: Application, text: str) -> None:
    shop.host.write(f"{DROP_INS}/site.conf", f"[Service]\n{text}\n")


def enable(shop: Application, pause: str = "", user: str = "redis", **commands: str) -> tuple[int, str]:
    """With the `$PATH` of an administrator's shell."""
    shop.commands |= {"Pause": pause} | commands
    shop.write_file(user)
    answer = shop.host.run("env", SHELL_PATH, "belfryctl", "enable", "shop", check=False)
    assert answer.stdout.startswith(STANDS), answer
    return answer.returncode, answer.stderr


def degraded(*commands: str) -> str:
    return f"shop is degraded: belfry-listener@shop.service cannot run {'; '.join(commands)}\n"


def check_that_it_fails(shop: Application, result: tuple[int, str], *commands: str, warnings: int = 0) -> None:
    """`enable` has said so, and so does everything else."""
    status, told = result
    lines = told.splitlines(keepends=True)
    assert (status, lines[warnings:]) == (78, [f"shop: {degraded(*commands)}"]), told
    assert all(": warning: " in line for line in lines[:warnings]), told
    answer = shop.ctl("is-active", check=False)
    assert (answer.returncode, answer.stdout) == (1, f"active\n{degraded(*commands)}")
    shop.wait_for(lambda: commands[0] in shop.property("StatusText"), "tell systemd")
    assert shop.says(commands[0])
    assert "  not healthy  " in shop.host.run("belfryctl", "list").stdout


def check_that_it_works(shop: Application, result: tuple[int, str], warnings: int = 0) -> None:
    status, told = result
    assert status == 0 and told.count("\n") == told.count(": warning: ") == warnings, told
    assert shop.ctl("is-active").stdout == "active\n"
    assert shop.ctl("pause").stdout == "paused (background)\nshop: Pause=: ok\n"
    shop.ctl("resume")


def test_a_program_that_only_the_shell_finds_is_none(shop):
    check_that_it_fails(shop, enable(shop, "kioskctl"), f"Pause=: {UNNAMED}")


def test_a_program_that_only_the_unit_finds_is_one(shop):
    listener_has(shop, f"Environment=PATH={FOLDER}:/usr/bin:/bin")
    shop.host.run("mv", PROGRAM, f"{FOLDER}/unitctl")
    shop.commands["Pause"] = "unitctl"
    shop.write_file("redis")
    assert shop.host.run("belfryctl", "check", "shop").stderr == ""
    answer = shop.host.run("belfryctl", "enable", "shop", check=False)
    check_that_it_works(shop, (answer.returncode, answer.stderr))


def test_the_tmp_of_the_unit_is_looked_at(shop):
    put(shop, "/tmp/k.sh")
    check_that_it_fails(shop, enable(shop, "/tmp/k.sh"), "Pause=: " + MISSING.format("/tmp/k.sh"))


@pytest.mark.parametrize("user", ["redis", "root"])
def test_a_mount_without_exec_is_seen(shop, user):
    shop.host.run("sh", "-ec", "mkdir /srv/noexec; mount -t tmpfs -o noexec,mode=0755 tmpfs /srv/noexec")
    put(shop, "/srv/noexec/kioskctl")
    reason = "Pause=: the program '/srv/noexec/kioskctl': Permission denied (EACCES)"
    check_that_it_fails(shop, enable(shop, "/srv/noexec/kioskctl", user), reason)


def test_a_number_needs_an_entry(shop):
    shop.commands["Pause"] = "true"
    shop.write("4242")
    for command in ("check", "enable"):
        answer = shop.host.run("belfryctl", command, "shop", check=False)
        assert answer.returncode == 78 and "shop.conf:3:1: error: there is no user '4242'" in answer.stderr


# Variants.


@pytest.mark.parametrize(
    ("setting", "status"),
    [("User=4242", "217/USER"), ("BindPaths=/nowhere", "226/NAMESPACE"), ("Group=nowhere", "216/GROUP")],
)
def test_a_unit_of_the_commands_that_cannot_start_is_told_in_the_words_of_systemd(shop, setting, status):
    # While it is started again, systemctl waits, and does not say how it ended before.
    listener_has(shop, f"{setting}\nRestart=no")
    shop.commands["Pause"] = "true"
    shop.write("redis")
    answer = shop.host.run("belfryctl", "enable", "shop", check=False)
    assert answer.returncode == 71 and f"status={status}" in answer.stdout, answer
    assert "systemctl restart belfry-listener@shop.service belfryd@shop.service' failed" in answer.stderr
    shop.host.run("rm", "-r", DROP_INS)
    assert enable(shop, "true") == (0, "")


def test_a_program_that_only_the_mounts_of_the_unit_have_is_one(shop):
    listener_has(shop, f"BindReadOnlyPaths={FOLDER}:/opt/inside")
    shop.commands["Pause"] = "/opt/inside/kioskctl"
    shop.write_file("redis")
    warning = "shop.conf:6:1: warning: " + MISSING.format("/opt/inside/kioskctl")
    assert warning in shop.host.run("belfryctl", "check", "shop").stderr
    check_that_it_works(shop, enable(shop, "/opt/inside/kioskctl"), warnings=1)


def test_each_command_is_named_and_one_with_a_dash_may_fail(shop):
    commands = {"Stop": "none-such", "Flush": "-/opt/none", "Health": "/opt/none"}
    reasons = ["Stop=: there is no program 'none-such' in $PATH", "Health=: " + MISSING.format("/opt/none")]
    result = enable(shop, PROGRAM, **commands)
    # Those of an absolute path are missing here, too.
    check_that_it_fails(shop, result, *reasons, warnings=1)


def test_a_program_that_comes_later_is_seen_when_a_command_has_run(shop):
    listener_has(shop, f"Environment=PATH={FOLDER}:/usr/bin:/bin")
    shop.host.run("mv", PROGRAM, "/opt/kiosk/kioskctl")
    check_that_it_fails(shop, enable(shop, "kioskctl"), f"Pause=: {UNNAMED}")
    shop.host.run("mv", "/opt/kiosk/kioskctl", PROGRAM)
    assert shop.ctl("pause").stdout == "paused (background)\nshop: Pause=: ok\n"
    shop.ctl("resume")
    shop.wait_for(lambda: shop.ctl("is-active", check=False).returncode == 0, "work again")


def test_the_health_is_known_again_to_a_new_instance(shop):
    check_that_it_fails(shop, enable(shop, "kioskctl"), f"Pause=: {UNNAMED}")
    shop.host.systemctl("restart", shop.name)
    shop.wait_until_up()
    assert shop.ctl("is-active", check=False).stdout == "active\n" + degraded(f"Pause=: {UNNAMED}")


def test_a_unit_that_does_not_run_is_looked_at_when_it_starts(shop):
    shop.host.systemctl("stop", shop.unit.name)
    shop.commands["Pause"] = "kioskctl"
    shop.write("redis")
    answer = shop.host.run("env", SHELL_PATH, "belfryctl", "enable", "shop")
    assert answer.stdout.endswith(", and looks then whether its commands can be run\n") and answer.stderr == ""
    shop.begin()
    answer = shop.ctl("is-active", check=False)
    assert (answer.returncode, answer.stdout) == (1, "active\n" + degraded(f"Pause=: {UNNAMED}"))


def test_a_start_that_fails_is_told(shop):
    status, told = enable(shop, "true", Start="/bin/sh -c 'echo no room >&2; exit 1'")
    assert status == 78 and re.fullmatch(r"shop: Start= failed \S+Z: shop: Start=: no room\n", told)


# A kernel that does not count memory pressure.


def count_pressure(shop: Application, counts: bool) -> None:
    """0 does for one group what a kernel without PSI, or with psi=0, does for all (Linux 6.1)."""
    shop.host.run("sh", "-c", f"echo {int(counts)} >{PRESSURE}/cgroup.pressure")


def test_enable_says_that_pressure_is_not_counted_until_it_is(shop):
    count_pressure(shop, False)
    status, told = enable(shop, "true", MemoryWarning="true")
    doubt = f"MemoryWarning= may not run: unable to read '{PRESSURE}/memory.pressure': No such file or directory (ENOENT)"
    assert (status, told) == (78, f"shop: application is degraded: {doubt}\n")
    assert shop.ctl("is-active", check=False).stdout == f"active\napplication is degraded: {doubt}\n"
    assert shop.says(doubt)
    count_pressure(shop, True)
    assert enable(shop, "true") == (0, "")


def check(shop: Application) -> str:
    """What `check` says of a file without an error."""
    return shop.host.run("belfryctl", "check", "shop").stderr


def test_check_says_that_the_kernel_counts_no_pressure(shop):
    shop.commands |= {"Pause": "true", "MemoryWarning": "true"}
    shop.write("redis")
    assert check(shop) == ""
    shop.host.run("mount", "-t", "tmpfs", "tmpfs", "/proc/pressure")
    try:
        doubt = "shop: warning: MemoryWarning= may not run: this kernel has no '/proc/pressure/memory'\n"
        assert check(shop) == doubt
        shop.commands["MemoryWarning"] = ""
        shop.write("redis")
        assert check(shop) == ""
    finally:
        shop.host.run("umount", "/proc/pressure")


def test_who_has_no_command_for_pressure_misses_nothing(shop):
    count_pressure(shop, False)
    assert enable(shop, "true") == (0, "")


def test_both_that_pressure_is_not_counted_and_that_a_program_is_missing_are_told(shop):
    count_pressure(shop, False)
    status, told = enable(shop, "kioskctl", MemoryWarning="true")
    assert status == 78 and "shop: application is degraded: MemoryWarning= may not run: " in told
    assert f"shop: {degraded(f'Pause=: {UNNAMED}')}" in told


def test_a_pause_stays_when_enable_says_that_pressure_is_not_counted(shop):
    assert enable(shop, "true", MemoryWarning="true") == (0, "")
    shop.ctl("pause")
    count_pressure(shop, False)
    assert enable(shop, "true")[0] == 78
    assert shop.state() == "background"


# Jobs, which are never active, and units that stand for others.


@pytest.mark.parametrize(
    ("unit", "drop_in"),
    [
        ("Type=oneshot\nExecStart=/bin/sleep 8\n", ""),
        ("ExecStart=/bin/true\n", "Type=oneshot\n"),
        ("Type=oneshot\nExecStart=/bin/true\nExecStart=/bin/true\n", "RemainAfterExit=no\n"),
    ],
)
def test_a_job_is_refused(shop, unit, drop_in):
    shop.host.systemctl("stop", shop.unit.name)
    folder = f"/run/systemd/system/{shop.unit.name}"
    try:
        shop.host.write(folder, f"[Service]\n{unit}")
        shop.host.write(f"{folder}.d/kind.conf", f"[Service]\n{drop_in}")
        shop.commands["Pause"] = "true"
        shop.write("redis")
        for command in ("check", "enable"):
            answer = shop.host.run("belfryctl", command, "shop", check=False)
            assert answer.returncode == 78 and answer.stderr.startswith("shop.service is a job (Type=oneshot "), answer
    finally:
        shop.host.run("rm", "-rf", f"{folder}.d")


def test_a_unit_that_stands_for_others_names_them(shop):
    """As postgresql.service of Debian does for postgresql@17-main.service."""
    folder = "/run/systemd/system"
    shop.host.systemctl("stop", shop.unit.name)
    try:
        shop.host.write(
            f"{folder}/{shop.unit.name}",
            "[Unit]\nWants=part@1-main.service\n[Service]\nType=oneshot\nExecStart=/bin/true\nRemainAfterExit=yes\n",
        )
        shop.host.write(f"{folder}/part@.service", "[Unit]\nPartOf=shop.service\n[Service]\nExecStart=/bin/sleep infinity\n")
        shop.commands["Pause"] = "true"
        shop.write("redis")
        shop.host.systemctl("start", shop.unit.name)
        shop.wait_until_up()
        warning = "shop: warning: shop.service has no process (Type=oneshot), and stands for part@1-main.service: use one of these\n"
        assert shop.host.run("belfryctl", "check", "shop").stderr == warning
        assert enable(shop, "true") == (0, warning)
    finally:
        shop.host.systemctl("stop", "part@1-main.service", check=False)
        shop.host.path(f"{folder}/part@.service").unlink(missing_ok=True)
