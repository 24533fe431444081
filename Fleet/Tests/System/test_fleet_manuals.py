# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The manual pages of the fleet have every option, command, key, method and exit status of its programs."""

import re

import pytest
from host_roots import PROJECT
from manual_pages import constants, manual_pages, missing, run, section, statuses, statuses_of, without_entry

BUILT = PROJECT / ".build/release"
DAEMON, CLIENT = "belfry-fleetd.8", "belfry-fleet.1"


@pytest.fixture(scope="module")
def manuals(tmp_path_factory) -> dict[str, str]:
    """The pages as text, by name."""
    return manual_pages(tmp_path_factory.mktemp("manuals"))


def test_every_option_of_the_daemon_is_there(manuals):
    options = set(re.findall(r"^  (--[\w-]+)", run(BUILT / "belfry-fleetd", "--help"), re.MULTILINE))

    assert missing(section(manuals[DAEMON], "OPTIONS"), options) == set()


def test_every_command_has_an_entry_with_its_options(manuals):
    assert without_entry(manuals[CLIENT], BUILT / "belfry-fleet") == {}


def test_every_key_is_there(manuals):
    keys = set(re.findall(r"^#([A-Z]\w+)=", (PROJECT / "Fleet/config/fleet.conf").read_text(), re.MULTILINE))

    assert {"Accept", "CAFile"} <= keys
    assert missing(manuals[DAEMON], keys) == set()


def test_every_method_and_error_is_there(manuals):
    words = constants("Fleet/Sources/belfry-fleetd/View/FleetInterface.swift", r"^    ((?:method|error) \w+)\(")

    assert "error Overrun" in words
    assert missing(section(manuals[DAEMON], "INTERFACE"), words) == set()


@pytest.mark.parametrize(("page", "program"), [(DAEMON, "belfry-fleetd"), (CLIENT, "belfry-fleet")])
def test_every_exit_status_is_there(manuals, page, program):
    assert statuses_of(manuals[page]) == statuses(BUILT / program)
