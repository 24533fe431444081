# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Whether a unit fits the configuration of the service that it starts."""

import pytest
from belfry_service import SERVICE
from documentation import BLOCK
from host_roots import PROJECT

UNIT = "x.service"
FOLDER = "/etc/systemd/system"


def check(belfry, unit: str = UNIT) -> tuple[int, list[str]]:
    """The exit status and the output."""
    done = belfry.host.run("belfryd", "--check-config", "--unit", unit, check=False)
    return done.returncode, done.stderr.splitlines()


@pytest.fixture
def written(on_each):
    """Writes units, reloads systemd, and removes them again."""
    paths = []

    def write(path: str, text: str) -> None:
        paths.append(f"{FOLDER}/{path}")
        on_each.host.write(paths[-1], text)
        on_each.host.systemctl("daemon-reload")

    yield write
    on_each.host.run("rm", *paths)
    on_each.host.systemctl("daemon-reload")


@pytest.mark.parametrize("unit", ["belfryd", SERVICE])
def test_installed_unit_fits_the_installed_configuration(on_each, unit):
    assert check(on_each, unit) == (0, [])


def examples() -> dict[str, str]:
    """The units of services that the documentation and the examples show."""
    units = {path.name: path.read_text() for path in sorted((PROJECT / "Examples").glob("*/*.service"))}
    for page in (PROJECT / "Examples/NIOService/README.md", PROJECT / "Sources/Service/Belfry/Belfry.docc/GettingStarted.md"):
        (units[page.stem],) = [text for name, text in BLOCK.findall(page.read_text()) if name == "ini"]
    return {name: text for name, text in units.items() if "Type=notify" in text}


@pytest.mark.parametrize("name", examples())
def test_unit_of_an_example_has_no_findings(on_each, written, name):
    # An example does not write to the cache of belfryd.
    on_each.host.write("/etc/belfry/belfry.conf.d/50-frames.conf", "")
    written(UNIT, examples()[name])

    assert check(on_each) == (0, [])


def test_unit_that_does_not_fit_is_reported(on_each, written):
    written(UNIT, "[Service]\nType=oneshot\nTimeoutStopSec=10s\nKillMode=none\nExecStart=/bin/true\n")

    status, lines = check(on_each)

    assert status == 78
    for start in ["error: Type=oneshot ", "error: TimeoutStopSec=10s ", "warning: KillMode=none: "]:
        assert any(line.startswith(f"{UNIT}: {start}") for line in lines), lines


def test_unit_that_systemd_does_not_load_is_an_error(on_each, written):
    written("broken.service", "[Service]\nType=notify\n")
    on_each.host.run("ln", "-s", "/dev/null", f"{FOLDER}/masked.service")
    try:
        assert check(on_each, "nowhere") == (78, ["nowhere.service: error: systemd finds no such unit"])
        assert check(on_each, "masked") == (78, ["masked.service: error: the unit is masked"])
        status, [line] = check(on_each, "broken")
        assert status == 78 and line.startswith("broken.service: error: systemd could not load the unit (bad-setting): ")
        status, [line] = check(on_each, "a@.service")
        assert status == 71 and line.startswith("belfryd: unable to ") and "a@.service" in line
    finally:
        on_each.host.run("rm", f"{FOLDER}/masked.service")
