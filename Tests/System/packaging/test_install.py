# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The files of `make install`, and how systemd verifies them."""

import re
import subprocess
from pathlib import Path

import pytest
from belfry_service import CACHE_TAG, SERVICE, BelfryService, make
from host_roots import PROJECT

KINDS = [("belfryd", "service"), ("belfryd-fetch", "service"), ("belfryd-fetch", "timer")]
PROGRAMS = ["/bin/belfry-listener", "/bin/belfryctl", "/bin/belfryd"]
DOCUMENTS = "/share/doc/belfry"
UNITS = [f"{name}{at}.{kind}" for name, kind in KINDS for at in ("", "@")]
# Below /usr.
INSTALLED = [
    *PROGRAMS,
    "/lib/belfry/belfry.conf",
    "/lib/belfry/belfry.conf.d/50-frames.conf",
    "/lib/systemd/catalog/belfry.catalog",
    "/lib/systemd/system/belfry-listener@.service",
    *[f"/lib/systemd/system/{unit}" for unit in UNITS],
    *[f"/lib/systemd/system/{unit}@.service.d/instance.conf" for unit in ("belfryd", "belfryd-fetch")],
    *[f"/lib/systemd/system/{unit}@postgresql.service.d/postgresql.conf" for unit in ("belfryd", "belfry-listener")],
    *[f"/lib/systemd/{manager}-generators/belfry-generator" for manager in ("system", "user")],
    *[f"/lib/systemd/user/{unit}.service" for unit in ("belfryd", "belfryd@", "belfry-listener@")],
    "/lib/systemd/user/belfryd@.service.d/instance.conf",
    "/lib/sysusers.d/belfry.conf",
    "/lib/tmpfiles.d/belfry.conf",
    "/share/bash-completion/completions/belfryctl",
    f"{DOCUMENTS}/copyright",
    "/share/fish/vendor_completions.d/belfryctl.fish",
    "/share/man/man1/belfryctl.1",
    *[f"/share/belfry/applications/{name}.conf" for name in ("haproxy", "nginx", "postgresql", "redis")],
    "/share/man/man5/belfry.application.5",
    "/share/man/man5/belfry.conf.5",
    "/share/man/man5/belfry.listener.5",
    "/share/man/man7/belfry-notifications.7",
    "/share/man/man7/belfry-library.7",
    "/share/man/man7/belfry.7",
    "/share/man/man7/io.belfry.Lifecycle.7",
    "/share/man/man8/belfry-generator.8",
    "/share/man/man8/belfry-listener.8",
    "/share/man/man8/belfryd.8",
    "/share/man/man8/belfryd.service.8",
    "/share/zsh/vendor-completions/_belfryctl",
]
# Documents and folders that are installed as they are in the project.
READ = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "Benchmarks/README.md", "docs", "Fleet/docs", "Examples", "Sources/*.docc/*"]
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def files_below(folder: Path) -> list[str]:
    return sorted("/" + str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def documents() -> list[str]:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *READ]
    names = subprocess.run(command, cwd=PROJECT, check=True, capture_output=True, text=True).stdout.splitlines()
    return [f"{DOCUMENTS}/{name}" for name in names if (PROJECT / name).exists()]


def test_install_follows_the_layout_of_debian_and_uninstall_removes_all_files(tmp_path):
    make("install", tmp_path)
    assert files_below(tmp_path) == sorted(f"/usr{path}" for path in INSTALLED + documents())

    make("install", tmp_path)
    make("uninstall", tmp_path)
    assert files_below(tmp_path) == []
    assert list((tmp_path / "usr/share").glob("*/belfry*")) == []


def test_every_link_of_an_installed_text_leads_to_an_installed_file(tmp_path):
    make("install", tmp_path)

    links = [(page, link) for page in tmp_path.rglob("*.md") for link in LINK.findall(page.read_text())]

    assert len(links) > 10
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


def test_files_installed_below_another_prefix_do_not_refer_to_the_default_prefix(tmp_path):
    make("install", tmp_path, "/usr/local")

    local = tmp_path / "usr/local"
    assert set(files_below(local)) >= set(INSTALLED + documents()) - {"/share/zsh/vendor-completions/_belfryctl"}
    assert files_below(local / "share/zsh") == ["/site-functions/_belfryctl"]
    assert len(files_below(tmp_path)) == len(files_below(local))
    usual = [f"/usr{path}" for path in [*INSTALLED, DOCUMENTS]]
    texts = {name: (local / name[1:]).read_bytes() for name in files_below(local) if name not in PROGRAMS}
    assert [(name, path) for name, text in texts.items() for path in usual if path.encode() in text] == []


@pytest.fixture
def below_local(on_each):
    """Belfry also installed below /usr/local, which has precedence over /usr."""
    make("install", on_each.host.root, "/usr/local")
    on_each.host.systemctl("daemon-reload")
    yield on_each
    on_each.host.systemctl("stop", SERVICE)
    make("uninstall", on_each.host.root, "/usr/local")
    on_each.host.systemctl("daemon-reload")


def test_unit_below_another_prefix_is_verified_and_runs_the_programs_there(below_local):
    folder = "/usr/local/lib/systemd/system"
    assert below_local.host.run("systemd-analyze", "verify", f"{folder}/{SERVICE}").stderr == ""

    below_local.start()

    assert below_local.property("FragmentPath") == f"{folder}/{SERVICE}"
    commands = below_local.properties("ExecStart", "ExecReload", "ExecStopPost")
    assert [re.search("path=(.*?) ", command)[1] for command in commands.values()] == [
        "/usr/local/bin/belfryd",
        "/usr/local/bin/belfryctl",
        "/usr/local/bin/belfryd",
    ]


def test_configuration_below_another_prefix_is_read(below_local):
    installed = "/usr/local/lib/belfry/belfry.conf"
    text = below_local.host.run("cat", installed).stdout
    below_local.host.write(installed, f"{text}\n[Service]\nStopTimeout=7s\n")

    printed = below_local.host.run("belfryd", "--print-config").stdout

    assert re.search(rf"^# {installed}:\d+\nStopTimeout=7s$", printed, re.MULTILINE)


def test_programs_are_stripped_and_have_no_private_library_path(belfry):
    for program in ("belfryd", "belfryctl", "belfry-listener"):
        path = belfry.host.path(f"/usr/bin/{program}")
        sections = subprocess.run(["readelf", "-SdW", path], check=True, capture_output=True, text=True).stdout
        assert "RPATH" not in sections and "RUNPATH" not in sections
        assert ".symtab" not in sections
        assert "libsystemd.so.0" in sections
        assert "libswift" not in sections and "libstdc++" not in sections


@pytest.mark.parametrize("program", ["belfryd", "belfryctl", "belfry-listener"])
def test_help_names_no_manual_page_that_does_not_exist(belfry, program):
    assert not re.search(r"belfry\w*\(\d\)", belfry.host.run(program, "--help").stdout)


def verify(belfry: BelfryService) -> None:
    units = [unit.replace("@", "@video") for unit in [*UNITS, "belfry-listener@.service"]]
    done = belfry.host.run("systemd-analyze", "verify", *units)
    assert done.stderr == ""


def test_units_are_verified_without_a_warning(belfry):
    verify(belfry)


def test_units_and_the_drop_in_are_verified_without_a_warning_by_a_newer_systemd(belfry_on_trixie):
    verify(belfry_on_trixie)
    belfry_on_trixie.use_notify_reload()
    verify(belfry_on_trixie)


def test_shipped_configuration_is_valid_and_has_only_a_cache_which_can_be_turned_off(belfry):
    belfry.host.run("belfryd", "--check-config")
    with_it = belfry.host.run("belfryd", "--print-config").stdout
    belfry.host.write("/etc/belfry/belfry.conf.d/50-frames.conf", "")
    without_it = belfry.host.run("belfryd", "--print-config").stdout

    assert without_it == belfry.host.run("belfryd", "--config", "/dev/null", "--print-config").stdout != ""
    assert with_it.startswith(without_it) and with_it.removeprefix(without_it).strip().startswith("[Cache frames]\n")


def test_installed_cache_is_tagged_and_belongs_to_the_service(on_each):
    on_each.start()
    frames = "/var/cache/belfry/frames"
    assert on_each.host.path(f"{frames}/CACHEDIR.TAG").read_text().strip() == CACHE_TAG
    listed = on_each.host.run("stat", "--format=%U %a", frames, f"{frames}/CACHEDIR.TAG").stdout.splitlines()
    assert listed == ["belfry 755", "belfry 644"]

    for name in ("1", "2"):
        on_each.host.write(f"{frames}/{name}", "frame")
    on_each.ctl("flush")

    assert [path.name for path in on_each.host.path(frames).iterdir()] == ["CACHEDIR.TAG"]




def test_belfryd_links_no_regular_expressions():
    """A method of String such as `replacing(_:with:)` links them: 2.3 MB, and 5 % of the instructions of a start."""
    assert b"_RegexParser" not in (PROJECT / ".build/release/belfryd").read_bytes()
