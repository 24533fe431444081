# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The Debian packages, on a system that has nothing but systemd and libraries."""

import gzip
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from application import Application
from bare_host import booted
from belfry_instance import BelfryInstance
from belfry_service import CONFIGURATION, SERVICE
from debian_packages import build, run, with_higher_version
from documentation import code_block, commands
from host_roots import PROJECT, debian_root
from hosted_user import HostedUser
from listener_unit import ListenerUnit

FETCH = "belfryd-fetch.timer"
# What is left when the programs are removed: configuration and state, and until the next boot the link of tmpfiles.d.
LINK = "/run/varlink/registry/io.belfry.Lifecycle"
REMAINING = ("/etc/belfry/", "/run/belfry/", "/var/lib/belfry/", "/var/cache/belfry/", LINK)


@pytest.fixture(scope="module")
def packages(tmp_path_factory) -> dict[str, Path]:
    programs = re.search(r"^PROGRAMS = (.*)", (PROJECT / "Makefile").read_text(), re.MULTILINE)[1].split()
    return build(tmp_path_factory.mktemp("package") / "deb", *programs)


@pytest.fixture(scope="module")
def package(packages) -> Path:
    return packages["belfry"]


@pytest.fixture(scope="module")
def newer(package, tmp_path_factory) -> Path:
    return with_higher_version(package, tmp_path_factory.mktemp("newer"))


@pytest.fixture(params=[pytest.param("bookworm", marks=pytest.mark.nightly), "trixie"])
def bare(request):
    """A service that is not installed, on a Debian with no more than it needs."""
    with booted(f"bare-{request.param}", debian_root(request.param)) as host:
        yield host


def test_lintian_finds_nothing(package):
    changes = next(package.parent.glob("*.changes"))
    found = subprocess.run(["lintian", "--allow-root", changes], capture_output=True, text=True)

    assert found.stdout == ""


def test_version_is_the_same_everywhere(package, tmp_path):
    run("dpkg-deb", "--extract", package, tmp_path)
    version = run("dpkg-deb", "--field", package, "Version").strip()

    for program in (tmp_path / "usr/bin").iterdir():
        assert run(program, "--version") == f"{program.name} {version}\n"
    for page in (tmp_path / "usr/share/man").rglob("*.gz"):
        if not page.is_symlink():
            assert f'"Belfry {version}"' in gzip.decompress(page.read_bytes()).decode()


def test_documents_for_developers_are_in_a_package_of_their_own(packages):
    assert sorted(packages) == ["belfry", "belfry-doc"]
    files = {name: run("sh", "-c", f"dpkg-deb --fsys-tarfile {package} | tar -t").splitlines() for name, package in packages.items()}

    assert [name for name in files["belfry"] if name.endswith((".swift", "/Package.swift")) or ".docc/" in name] == []
    documents = "./usr/share/doc/belfry"
    assert {f"{documents}/README.md", f"{documents}/docs/applications.md", "./usr/share/man/man7/belfry.7.gz"} <= set(files["belfry"])
    developers = {f"{documents}/CONTRIBUTING.md", f"{documents}/docs/library.md", "./usr/share/man/man7/belfry-library.7.gz"}
    assert developers <= set(files["belfry-doc"])
    in_both = set(files["belfry"]) & set(files["belfry-doc"])
    assert [name for name in in_both if not name.endswith("/")] == []


def test_libraries_that_the_programs_need_are_in_debian_12_and_13(package):
    """glibc 2.36 is the first that reads packed relocations."""
    needed = run("dpkg-deb", "--field", package, "Depends").split(", ")

    assert "libc6 (>= 2.36)" in needed and any(name.startswith("libsystemd0") for name in needed)
    assert not any(name.startswith(("libstdc++", "libswift")) for name in needed)


def test_package_is_installed_upgraded_downgraded_removed_and_purged(bare, package, newer):
    bare.apt("install", "dbus-user-session")
    ann, bob = HostedUser(bare.host, "ann"), HostedUser(bare.host, "bob")
    before = bare.files()

    bare.install_packages(package)
    assert bare.host.systemctl("is-active", SERVICE, check=False).stdout.strip() == "inactive"
    assert bare.host.systemctl("is-enabled", SERVICE, check=False).stdout.strip() == "disabled"
    bare.host.systemctl("enable", "--now", SERVICE)
    assert "is active" in bare.ctl("status").stdout
    assert bare.host.systemctl("is-enabled", FETCH, check=False).stdout.strip() == "disabled"
    video = BelfryInstance(bare.host, "video")
    video.start()
    bare.host.systemctl("enable", "belfryd@video.service", "belfryd-fetch@video.timer", "belfry-listener@guard.service")
    video_pid = video.main_pid()
    ann.shell(f"systemctl --user enable --now {SERVICE}")
    pid_of_ann = ann.property(SERVICE, "MainPID")
    assert bare.processes() == ["belfryd"] * 3
    assert "Documentation" in bare.host.run("journalctl", "-x", "-u", SERVICE, "--no-pager").stdout

    changed = "[Signals]\nUSR2=com.example.rotate\n"
    bare.configure(changed)
    subscriber = bare.subscribe()
    first = bare.main_pid()
    bare.install_packages(newer)
    second = bare.wait_for_another(first)
    bare.install_packages(package)
    bare.wait_for_another(second)
    video.wait_for_another(video_pid)
    # Of users only those who run the service.
    assert ann.property(SERVICE, "MainPID") not in ("0", pid_of_ann)
    assert bob.property(SERVICE, "MainPID") == "0"
    assert bare.host.path(CONFIGURATION).read_text() == changed
    bare.host.systemctl("kill", "--signal=USR2", "--kill-whom=main", SERVICE)
    # No number is missing.
    subscriber.until("com.example.rotate")
    assert subscriber.is_consecutive()

    bare.apt("remove", "belfry")
    assert bare.processes() == []
    assert bare.host.path(CONFIGURATION).read_text() == changed

    # What is in the runtime directory of a user lasts until the logout.
    ann.remove()
    bare.apt("purge", "belfry")
    assert bare.files() - before == set()
    assert bare.processes() == []


def test_upgrade_and_removal_run_each_program_once_at_the_stop_and_once_at_the_start(bare, package, newer):
    bare.install_packages(package)
    programs = []
    for service in (bare, BelfryInstance(bare.host, "audio"), BelfryInstance(bare.host, "video")):
        service.start()
        folder = service.socket_path().parent.name
        for number in (1, 2):
            program = ListenerUnit(service, f"{folder.replace('@', '-')}-{number}")
            script = "#!/bin/sh\necho com.example.${BELFRY_NOTIFICATION:-start}\n"
            program.write("willTerminate", script, f"Socket=/run/{folder}/io.belfry.Lifecycle\nRunOnStart=yes\n")
            program.drop_in(f"[Unit]\nBefore={service.name}\n")
            program.start()
            programs.append(program)

    ran = ["com.example.start"]
    for another in (newer, package):
        bare.install_packages(another)
        ran += ["com.example.willTerminate", "com.example.start"]
        for program in programs:
            program.wait_for(lambda: len(program.runs()) >= len(ran), "run its program")
            assert program.runs() == ran
    bare.apt("remove", "belfry")
    for program in programs:
        assert program.runs() == [*ran, "com.example.willTerminate"]
    assert bare.processes() == []


def paused_application(bare) -> Application:
    """An application of the installed package that was started and then paused."""
    shop = Application(bare.host, options="ReloadUnit=yes")
    shop.write_unit("ExecReload=/bin/true\n")
    shop.write()
    shop.begin()
    shop.wait_for(lambda: shop.done() == ["Start"], "run Start=")
    shop.ctl("pause")
    return shop


def test_a_new_installation_names_units_that_run_without_their_application(bare, package):
    bare.install_packages(package)
    shop = paused_application(bare)
    shop.ctl("resume")
    bare.apt("remove", "belfry")
    again = bare.install_packages(package)
    warning = "belfry: warning: belfryd@shop: shop.service is active (running), but not belfryd@shop, see 'belfryctl enable shop'\n"
    assert (again.stdout + again.stderr).count(warning) == 1
    bare.host.run("belfryctl", "enable", "shop")
    shop.wait_until_up()
    assert bare.host.run("belfryctl", "list", "--failed").stdout == ""
    bare.host.systemctl("stop", shop.unit.name)


def test_an_application_notices_no_upgrade_and_no_removal(bare, package, newer):
    bare.install_packages(package)
    shop = paused_application(bare)
    for another in (newer, package):
        pid = shop.main_pid()
        bare.install_packages(another)
        shop.wait_for(lambda pid=pid: shop.main_pid() not in (0, pid), "be restarted")
        shop.wait_until_up()
        assert shop.state() == "background"
    pid = shop.unit.main_pid()
    removal = bare.apt("remove", "belfry")
    warning = "belfry: warning: belfryd@shop is paused, and nothing will resume what it has paused\n"
    assert (removal.stdout + removal.stderr).count(warning) == 1
    assert shop.done() == ["Start", "Pause"] and shop.unit.main_pid() == pid
    assert bare.processes() == []
    # The unit is reloaded as it was before.
    assert "path=/bin/true ;" in shop.unit.property("ExecReload")
    bare.host.systemctl("stop", shop.unit.name)
    purge = bare.apt("purge", "belfry")
    assert "files in /etc/belfry/applications were written by hand, and stay" in purge.stdout + purge.stderr
    assert bare.host.path(shop.file).exists()
    shop.remove()


def test_of_three_applications_none_notices_an_upgrade(bare, package, newer):
    """From the package at $BELFRY_OLDER_PACKAGE, such as that of an earlier commit; without it from this one."""
    bare.install_packages(Path(os.environ.get("BELFRY_OLDER_PACKAGE", package)))
    shops = [Application(bare.host, name) for name in ("shop", "till", "store")]
    for shop in shops:
        shop.write_unit()
        shop.write()
        shop.begin()
        shop.wait_for(lambda one=shop: one.done() == ["Start"], "run Start=")
    paused = shops[1]
    paused.ctl("pause")
    done = [["Start"], ["Start", "Pause"], ["Start"]]
    before = [(shop.main_pid(), shop.listener.main_pid(), shop.unit.main_pid()) for shop in shops]

    bare.install_packages(newer)
    for shop, (own, listener, unit) in zip(shops, before):
        for one, pid in ((shop, own), (shop.listener, listener)):
            one.wait_for(lambda one=one, pid=pid: one.main_pid() not in (0, pid), "be restarted")
        shop.wait_until_up()
        assert shop.unit.main_pid() == unit
    assert [shop.state() for shop in shops] == ["active", "background", "active"]
    assert [shop.done() for shop in shops] == done

    # Each goes on as if nothing had been.
    paused.ctl("resume")
    bare.host.systemctl("stop", *(shop.unit.name for shop in shops))
    ends = [[], ["Resume"], []]
    assert [shop.done() for shop in shops] == [[*a, *b, "Stop", "unit ended"] for a, b in zip(done, ends)]


def test_one_file_and_a_restart_of_its_unit_give_redis_a_lifecycle(bare, package):
    host = bare.host

    def ask(*command: str) -> str:
        bare.wait_for(lambda: host.run("redis-cli", "PING", check=False).returncode == 0, "answer")
        return host.run("redis-cli", "-e", *command).stdout.strip()

    with host.path("/etc/redis/redis.conf").open("a") as file:
        file.write('save ""\nappendonly no\n')
    host.systemctl("start", "redis-server")
    bare.install_packages(package)
    host.write("/etc/belfry/applications/redis.conf", code_block("ini", "# /etc/belfry/applications/redis.conf\n"))
    host.systemctl("daemon-reload")
    host.systemctl("restart", "redis-server")
    redis = Application(host, "redis", "redis-server.service")
    redis.wait_until_up()

    assert ask("SET", "last", "written") == "OK"
    host.systemctl("stop", "redis-server")
    host.systemctl("start", "redis-server")

    assert ask("GET", "last") == "written"
    host.systemctl("stop", "redis-server")


# What dpkg reports in the middle of an upgrade (`--status-fd` in dpkg(1)).
CUTS = ["processing: upgrade: belfry", "status: belfry: half-installed", "processing: configure: belfry", "status: belfry: half-configured"]
UPGRADE = """
setsid sh -c 'echo $$ >/run/upgrade.pid; exec dpkg --status-fd=3 --install "$1" 3>&1 >/run/upgrade.log 2>&1' - {package} |
while read -r line; do
    case $line in
    '{cut}') {kill} && echo it was cut ;;
    esac
done
dpkg --configure -a
dpkg-query --show --showformat='${{Status}}' belfry | grep -q ' installed$' || dpkg --install {package}
"""


def test_an_application_notices_no_upgrade_that_is_cut(bare, package, newer):
    bare.install_packages(package)
    packages = []
    for number, path in enumerate((newer, package)):
        packages.append(f"/var/tmp/{number}.deb")
        shutil.copy(path, bare.host.path(packages[-1]))
    shop = paused_application(bare)
    pid = shop.unit.main_pid()
    kills = [(cut, 'kill -KILL "-$(cat /run/upgrade.pid)"') for cut in CUTS]
    kills += [(CUTS[-1], f"systemctl kill --kill-whom=main --signal=KILL {unit.name}") for unit in (shop, shop.listener)]
    for number, (cut, kill) in enumerate(kills):
        done = bare.host.run("sh", "-c", UPGRADE.format(package=packages[number % 2], cut=cut, kill=kill))
        assert "it was cut" in done.stdout, cut
        assert bare.host.run("dpkg", "--audit").stdout == ""
        shop.wait_until_up()
        assert shop.state() == "background" and shop.done() == ["Start", "Pause"] and shop.unit.main_pid() == pid, cut
        assert sorted(bare.processes()) == ["belfry-listener", "belfryd"]
    bare.host.systemctl("stop", shop.unit.name)
    assert shop.done() == ["Start", "Pause", "Stop", "unit ended"]


def test_every_command_of_the_readme_works_as_printed(bare, package):
    def shell(command: str) -> str:
        return bare.host.run("sh", "-c", f"cd /root && {command}", stdin=subprocess.DEVNULL).stdout

    built = bare.host.path("/root/.build/deb")
    built.mkdir(parents=True)
    shutil.copy(package, built)
    (make, *commands_to_install) = commands("apt install ./.build/deb")
    assert make == "make deb"
    for command in commands_to_install:
        printed = shell(command)
    assert "is active" in printed

    (fill, flush, journal, rest) = commands("journalctl -t belfryd -o cat -n 3")
    shell(fill)
    shell(flush)
    # A person types the next command later than the flush ends.
    bare.wait_for(lambda: "flushRequested took" in shell("journalctl -t belfryd -o cat"), "end the flush")
    bare.wait_until_logged()

    def shape(line: str) -> str:
        """The line without the listeners that took a millisecond."""
        return line.partition(" took ")[0]

    sample = code_block("console", "journalctl -t belfryd -o cat -n 3").splitlines()
    assert [shape(line) for line in shell(journal).splitlines()] == [shape(line) for line in sample if line[0] not in "$#"]
    assert "didBecomeActive" in shell(rest)

    bare.wait_for(lambda: bare.processes() == ["belfryd"], "end the programs of this test")
    bare.host.run("sh", "-c", commands("apt purge belfry")[0], input="y\n")
    assert bare.processes() == []


def test_every_command_of_the_readme_without_a_package_works_as_printed(bare):
    def shell(line: str) -> None:
        for command in line.split("; "):
            if not command.startswith("make "):
                bare.host.run("sh", "-c", command)
                continue
            # In the folder of the project, which the host does not have, and with what is built already.
            settings = {"DESTDIR": str(bare.host.root), "SWIFT": "true"}
            subprocess.run(["sh", "-c", command], cwd=PROJECT, env=os.environ | settings, check=True, stdout=subprocess.DEVNULL)

    before = bare.files()

    for command in commands("make install"):
        shell(command)
    assert "is active" in bare.ctl("status").stdout

    (_, remove) = commands("apt purge belfry")
    shell(remove)
    assert bare.processes() == []
    left = {path for path in bare.files() - before if not bare.host.path(path).is_dir()}
    assert {path for path in left if not path.startswith(REMAINING)} == set()
