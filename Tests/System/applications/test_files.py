# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""From the file of an application to units, and the commands about it."""

import pytest
from application import FOLDER, Application
from hosted_unit import HostedUnit

BEGINS = "shop: begins when shop.service starts, and looks then whether its commands can be run\n"


@pytest.fixture
def shop(on_each):
    shop = Application(on_each.host)
    shop.write_unit()
    try:
        yield shop
    finally:
        shop.remove()


def generated(shop: Application) -> list[str]:
    root = shop.host.path("/run/systemd/generator")
    return sorted(str(path.relative_to(root)) for path in root.rglob("*") if "belfry" in path.name and not path.is_dir())


def test_a_file_becomes_drop_ins_and_a_link(shop):
    shop.write()
    assert generated(shop) == ["shop.service.wants/belfryd@shop.service"]
    for unit in (shop, shop.listener):
        assert unit.property("BindsTo") == "shop.service"
        assert unit.property("SourcePath") == shop.file
        assert unit.property("NeedDaemonReload") == "no"
    assert shop.listener.property("User") == "root"
    assert "shop.service.d" not in shop.unit.property("DropInPaths")


def test_a_file_with_errors_yields_a_message_and_nothing_else(shop):
    shop.host.write(f"{FOLDER}/shop.conf", "[Application]\nUnit=multi-user.target\n[On]\nPause=relative/path\n")
    shop.host.systemctl("daemon-reload")
    assert generated(shop) == []
    records = shop.host.journal("--identifier=belfry-generator", "--lines=2")
    assert [record["MESSAGE"] for record in records] == [
        "/etc/belfry/applications/shop.conf:2:6: error: invalid value of 'Unit': expected the full name of a service, such as"
        " 'redis-server.service', not 'multi-user.target'",
        "/etc/belfry/applications/shop.conf:4:7: error: invalid value of 'Pause': expected an absolute path or a name without"
        " '/', not 'relative/path'",
    ]
    answer = shop.host.run("belfryctl", "enable", "shop", check=False)
    assert answer.returncode == 78 and "shop.conf:2:6: error" in answer.stderr


def test_a_user_that_does_not_exist_is_an_error(shop):
    shop.write(user="nobdy")
    for command in ("check", "enable"):
        answer = shop.host.run("belfryctl", command, "shop", check=False)
        assert answer.returncode == 78 and "shop.conf:3:1: error: there is no user 'nobdy'" in answer.stderr


@pytest.mark.parametrize("kind, status", [("oneshot", 78), ("oneshot\nRemainAfterExit=yes", 0)])
def test_a_unit_that_is_never_active_is_an_error(shop, kind, status):
    shop.host.write(f"/run/systemd/system/{shop.unit.name}", f"[Service]\nType={kind}\nExecStart=/bin/true\n")
    shop.write()
    for command in ("check", "enable"):
        answer = shop.host.run("belfryctl", command, "shop", check=False)
        expected = "shop.service is a job" if status else "shop: warning: shop.service has no process (Type=oneshot)\n"
        assert answer.returncode == status and expected in answer.stderr


def test_two_applications_with_one_unit_are_an_error(shop):
    shop.write()
    shop.host.write(f"{FOLDER}/other.conf", "[Application]\nUnit=shop.service\n[On]\nStop=true\n")
    try:
        answer = shop.host.run("belfryctl", "check", "shop", check=False)
    finally:
        shop.host.run("rm", f"{FOLDER}/other.conf")
    assert answer.returncode == 78 and "shop.conf:2:1: error: the application 'other' has the same unit" in answer.stderr


def test_enable_begins_at_once_and_disable_ends_it(shop):
    shop.host.systemctl("start", shop.unit.name)
    pid = shop.unit.main_pid()
    shop.write()
    assert shop.property("ActiveState") == "inactive"
    answer = shop.host.run("belfryctl", "enable", "shop")
    assert answer.stdout == "shop: belfryd@shop.service stands for shop.service\n"
    shop.wait_until_up()
    assert shop.done() == ["Start"]
    answer = shop.host.run("belfryctl", "disable", "shop")
    assert "shop: begins again when its unit starts; to prevent that:\nrm '/etc/belfry/applications/shop.conf'" in answer.stderr
    assert shop.property("ActiveState") == shop.listener.property("ActiveState") == "inactive"
    assert shop.unit.main_pid() == pid and shop.done() == ["Start"]


def test_disable_can_be_repeated_when_systemd_was_not_reloaded(on_each):
    host = on_each.host
    link, instance = host.path(f"{FOLDER}/redis.conf"), HostedUnit(host, "belfryd@redis.service")
    systemctl = '#!/bin/sh\n[ "$1" = daemon-reload ] && exit 1\nPATH=/usr/bin:/bin exec systemctl "$@"\n'
    host.write("/srv/broken/systemctl", systemctl)
    host.path("/srv/broken/systemctl").chmod(0o755)
    try:
        host.run("belfryctl", "enable", "redis")
        answer = host.run("env", "PATH=/srv/broken:/usr/bin:/bin", "belfryctl", "disable", "redis", check=False)
        assert answer.returncode == 71 and "'systemctl daemon-reload' failed with exit status 1" in answer.stderr
        assert not link.is_symlink() and instance.property("SourcePath") != ""
        host.run("belfryctl", "disable", "redis")
        assert instance.property("SourcePath") == ""
    finally:
        link.unlink(missing_ok=True)
        host.systemctl("daemon-reload")


def test_enable_of_a_unit_that_does_not_run_waits_for_it(shop):
    shop.write()
    answer = shop.host.run("belfryctl", "enable", "shop")
    assert answer.stdout == BEGINS and answer.stderr == ""
    assert shop.property("ActiveState") == "inactive"
    shop.begin()


def test_enable_of_an_instance_that_does_not_run_names_those_that_do(shop):
    host = shop.host
    host.write("/run/systemd/system/cell@.service", "[Service]\nExecStart=sleep infinity\n")
    host.systemctl("start", "cell@first.service")
    shop.unit.name = "cell@second.service"
    try:
        shop.write()
        answer = host.run("belfryctl", "enable", "shop").stdout.splitlines()
        assert answer[0].startswith("shop: begins when cell@second.service starts")
        assert answer[1] == "shop: what runs of cell@*, see 'belfryctl enable shop INSTANCE':"
        assert [line.split()[:4] for line in answer[2:]] == [["cell@first.service", "loaded", "active", "running"]]
    finally:
        host.systemctl("stop", "cell@first.service")


def test_enable_says_that_the_application_is_paused(shop):
    shop.write()
    shop.begin()
    shop.ctl("pause", "--reason", "backup")
    answer = shop.host.run("belfryctl", "enable", "shop").stdout.splitlines()
    assert answer[1].startswith("shop: paused") and "backup" in answer[1]


def test_enable_says_that_there_is_no_such_unit(shop):
    shop.write()
    shop.host.path(f"/run/systemd/system/{shop.unit.name}").unlink()
    answer = shop.host.run("belfryctl", "enable", "shop", check=False)
    assert answer.stdout == BEGINS and answer.returncode == 78
    failed = shop.host.run("belfryctl", "list", "--failed", check=False)
    assert "belfryd@shop: shop.service is not there\n" in failed.stdout and failed.returncode == 1
    assert answer.stderr == "shop: warning: shop.service cannot start, LoadState=not-found\n"


def test_check_prints_what_systemd_gets(shop):
    shop.write()
    text = shop.host.run("belfryctl", "check", "shop").stdout
    assert "# shop.service.wants/belfryd@shop.service -> /usr/lib/systemd/system/belfryd@.service" in text
    folder = shop.host.path("/run/systemd/generator")
    for unit in ("belfryd", "belfry-listener"):
        path = f"{unit}@shop.service.d/50-application.conf"
        assert f"# {path}\n{(folder / path).read_text()}" in text


def test_a_name_that_belfryd_has_itself_or_that_is_too_long_is_refused(started_on_each):
    host = started_on_each.host
    own = [listener["name"] for listener in started_on_each.listeners()]
    assert {"socket", "logger"} <= set(own)
    for name in [*own, "application", "x" * 80]:
        shop = Application(host, name, unit="shop.service")
        try:
            shop.write()
            answer = host.run("belfryctl", "check", name, check=False)
            assert answer.returncode == 78, name
            assert ("is too long" if name.startswith("x") else "belfryd has a listener") in answer.stderr, name
        finally:
            shop.remove()


def test_what_the_user_may_not_run_is_a_warning_before_the_unit_starts(shop):
    program = "/usr/local/bin/shop-pause"
    shop.host.write(program, "#!/bin/sh\n")
    try:
        shop.commands["Pause"] = program
        shop.write(user="redis")
        shop.host.path(program).chmod(0o700)
        for command in ("check", "enable"):
            told = shop.host.run("belfryctl", command, "shop").stderr
            assert told.count("\n") == 1
            assert f"warning: user 'redis' of belfry-listener@shop.service cannot execute '{program}'" in told
        shop.host.path(program).chmod(0o755)
        assert shop.host.run("belfryctl", "enable", "shop").stderr == ""
    finally:
        shop.host.path(program).unlink()


def test_check_looks_at_an_example_before_it_is_enabled(on_each):
    text = on_each.host.run("belfryctl", "check", "redis").stdout
    assert "# redis-server.service.wants/belfryd@redis.service -> " in text and "User=redis" in text
    assert not on_each.host.path(f"{FOLDER}/redis.conf").exists()
    try:
        on_each.host.write(f"{FOLDER}/redis.conf.d/wrong.conf", "[On]\nPuase=true\n")
        for command in ("check", "enable"):
            answer = on_each.host.run("belfryctl", command, "redis", check=False)
            assert answer.returncode == 78 and f"{FOLDER}/redis.conf.d/wrong.conf:2:1: error" in answer.stderr
        assert not on_each.host.path(f"{FOLDER}/redis.conf").exists()
    finally:
        on_each.host.run("rm", "-r", f"{FOLDER}/redis.conf.d")


@pytest.mark.parametrize(("output", "status"), [(">/dev/full", 71), ("| true", 0)])
def test_enable_and_disable_finish_without_their_output(on_each, output, status):
    host = on_each.host
    link = host.path(f"{FOLDER}/redis.conf")
    instance = HostedUnit(host, "belfryd@redis.service")
    try:
        for command, is_enabled in (("enable", True), ("disable", False)):
            answer = host.run("bash", "-o", "pipefail", "-c", f"belfryctl {command} redis {output}", check=False)
            assert answer.returncode == status, answer
            assert link.is_symlink() == is_enabled
            assert (instance.property("SourcePath") != "") == is_enabled
    finally:
        link.unlink(missing_ok=True)
        host.systemctl("daemon-reload")


def test_a_misspelt_name_is_answered_with_the_nearest(on_each):
    answer = on_each.host.run("belfryctl", "check", "ngnix", check=False)
    assert answer.returncode == 78
    assert answer.stderr == "/etc/belfry/applications/ngnix.conf:1:1: error: there is no such file\ndid you mean 'nginx'?\n"


def test_a_unit_is_answered_with_its_application(on_each):
    for name in ("redis-server", "redis-server.service"):
        for command in ("check", "enable"):
            answer = on_each.host.run("belfryctl", command, name, check=False)
            assert answer.returncode == 78 and answer.stderr.endswith("there is no such file\ndid you mean 'redis'?\n")


def test_check_warns_of_programs(shop):
    shop.commands["Pause"] = "/usr/bin/not-there"
    shop.write()
    warning = "warning: the program '/usr/bin/not-there': No such file or directory"
    assert warning in shop.host.run("belfryctl", "check", "shop").stderr
    assert warning in shop.host.run("belfryd", "--check-config").stderr
