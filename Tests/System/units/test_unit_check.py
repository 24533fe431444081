# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Whether a unit fits the configuration of the service that it starts."""

import pytest
from belfry_service import SERVICE
from documentation import BLOCK
from host_roots import PROJECT

INSTALLED = f"/usr/lib/systemd/system/{SERVICE}"
UNIT = "/tmp/x.service"
PLAIN = "[Service]\nType=notify\nTimeoutStopSec=1min\nExecStart=/bin/true\n"


def check(belfry, unit: str = UNIT) -> tuple[int, list[str]]:
    """The exit status and the output."""
    done = belfry.host.run("belfryd", "--check-config", "--unit", unit, check=False)
    return done.returncode, done.stderr.splitlines()


@pytest.fixture
def installed_and(on_each):
    """Checks the installed unit with more settings."""

    def check_with(settings: str) -> tuple[int, list[str]]:
        on_each.host.write(UNIT, on_each.host.run("cat", INSTALLED).stdout)
        on_each.host.write(f"{UNIT}.d/y.conf", f"[Service]\n{settings}\n")
        return check(on_each)

    yield check_with
    on_each.host.run("rm", "-rf", UNIT, f"{UNIT}.d")


@pytest.mark.parametrize("unit", ["belfryd", SERVICE, INSTALLED])
def test_installed_unit_fits_the_installed_configuration(on_each, unit):
    assert check(on_each, unit) == (0, [])


def examples() -> dict[str, str]:
    """The units of services that the documentation and the examples show."""
    units = {path.name: path.read_text() for path in sorted((PROJECT / "Examples").glob("*/*.service"))}
    for page in (PROJECT / "Examples/NIOService/README.md", PROJECT / "Sources/Service/Belfry/Belfry.docc/GettingStarted.md"):
        (units[page.stem],) = [text for name, text in BLOCK.findall(page.read_text()) if name == "ini"]
    return {name: text for name, text in units.items() if "Type=notify" in text}


@pytest.mark.parametrize("name", examples())
def test_unit_of_an_example_has_no_findings(machine_host, name):
    machine_host.host.write(UNIT, examples()[name])

    assert check(machine_host) == (0, [])


@pytest.fixture
def written(on_each):
    """Writes units and drop-ins, reloads systemd, and removes them again."""
    paths = []

    def write(path: str, text: str) -> None:
        paths.append(path)
        on_each.host.write(path, text)
        on_each.host.systemctl("daemon-reload")

    yield write
    folders = {path.rpartition("/")[0] for path in paths if path.endswith(".conf")}
    on_each.host.run("rm", "-rf", *paths, *folders)
    on_each.host.systemctl("daemon-reload")


@pytest.mark.parametrize("unit", ["belfryd", SERVICE, INSTALLED])
def test_drop_in_of_the_administrator_is_found(on_each, written, unit):
    path = f"/etc/systemd/system/{SERVICE}.d/z.conf"
    written(path, "[Service]\nKillMode=none\n")

    status, lines = check(on_each, unit)

    assert (status, len(lines)) == (0, 1)
    assert lines[0].startswith(f"{path}:2:1: warning: KillMode=none")


@pytest.mark.parametrize(
    "unit, directories",
    [
        ("a.service", ["usr/lib/systemd/system", "usr/local/lib/systemd/system", "run/systemd/system"]),
        ("a-b.service", ["usr/lib/systemd/system/a-b.service.d", "etc/systemd/system/a-.service.d"]),
        ("a-b.service", ["run/systemd/system/a-.service.d", "run/systemd/system/a-b.service.d"]),
        ("a@1.service", ["run/systemd/system/a@.service.d", "run/systemd/system/a@1.service.d"]),
        ("a-b@1.service", ["run/systemd/system/a-@1.service.d", "run/systemd/system/a-b@.service.d"]),
        ("a.service", ["etc/systemd/system/service.d", "usr/lib/systemd/system/a.service.d"]),
    ],
)
def test_effective_file_is_the_same_as_for_systemd(on_each, written, unit, directories):
    written(f"/usr/lib/systemd/system/{unit}", PLAIN)
    for directory, mode in zip(directories, ["none", "process", "none"]):
        is_drop_in = directory.endswith(".d")
        path = f"/{directory}/x.conf" if is_drop_in else f"/{directory}/{unit}"
        written(path, ("[Service]\n" if is_drop_in else PLAIN) + f"KillMode={mode}\n")

        _, lines = check(on_each, unit)

        assert on_each.host.properties(unit, "KillMode") == {"KillMode": mode}
        assert any(line.startswith(path) and f" warning: KillMode={mode}: " in line for line in lines)


def test_unit_that_does_not_fit_is_reported_line_by_line(on_each):
    on_each.host.write(UNIT, "[Service]\nType=oneshot\nTimeoutStopSec=10s\nKillMode=none\n")
    on_each.host.write(f"{UNIT}.d/y.conf", "[Service]\nWatchdogSec=5 parsecs\n")

    status, lines = check(on_each)

    assert status == 78
    assert any(line.startswith(f"{UNIT}:2:1: error: Type=oneshot") for line in lines)
    assert any(line.startswith(f"{UNIT}:3:1: error: TimeoutStopSec=10s") for line in lines)
    assert any(line.startswith(f"{UNIT}:4:1: warning: KillMode=none") for line in lines)
    assert any(line.startswith(f"{UNIT}.d/y.conf:2:15: error: invalid value of WatchdogSec") for line in lines)


@pytest.mark.parametrize(
    "setting, line",
    [
        ("FileDescriptorStoreMax=0", "2:1: warning: no FileDescriptorStoreMax=: systemd does not keep descriptors"),
        ("WatchdogSec=0", "2:1: warning: no WatchdogSec=: systemd does not detect that the service hangs"),
        ("WatchdogSec=100ms", "2:1: warning: WatchdogSec=100ms: the service wakes up twice in this time"),
        ("StateDirectory=", "warning: no StateDirectory=: the exit record is not stored, or mistaken"),
    ],
)
def test_setting_that_restricts_the_service_causes_a_warning(installed_and, setting, line):
    status, lines = installed_and(setting)

    assert status == 0
    assert len(lines) == 1 and line in lines[0]


@pytest.mark.parametrize("way_out, fits", [("", False), ("ReadWritePaths=/srv", True)])
def test_sandbox_is_compared_with_the_paths_that_listeners_need(on_each, installed_and, way_out, fits):
    on_each.configure("[Cache thumbnails]\nPath=/srv/thumbnails\n")

    status, lines = installed_and(way_out)

    assert (status, len(lines)) == ((0, 0) if fits else (78, 1))
    expected = "error: ProtectSystem=strict makes '/srv/thumbnails' read-only, which [Cache thumbnails] writes to"
    assert all(expected in line for line in lines)
