# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The manual pages are well formed, and have every option, command, key, notification and exit status of the programs."""

import re

import pytest
from host_roots import PROJECT
from manual_pages import constants, manual_pages, missing, run, section, statuses, statuses_of, without_entry

BUILT = PROJECT / ".build/release"
# The manual of each program.
MANUALS = {
    "belfryd": "belfryd.8",
    "belfryctl": "belfryctl.1",
    "belfry-listener": "belfry.listener.5",
}
# The manuals that describe a Varlink interface, and where it is declared.
INTERFACES = {
    "io.belfry.Lifecycle.7": "Sources/Components/BelfrySocket/Interface/LifecycleInterface.swift",
}


# The file of the keys that listeners and applications have in common.
HEALTH = "Sources/Service/BelfryConfiguration/Listener/HealthCheck.swift"
# Where a key of a file is read.
KEY = r'section\.\w+\("(\w+)"'


@pytest.fixture(scope="module")
def manuals(tmp_path_factory) -> dict[str, str]:
    """The pages as text, by name."""
    return manual_pages(tmp_path_factory.mktemp("manuals"))


@pytest.mark.parametrize("program", ["belfryd", "belfry-listener"])
def test_every_option_of_a_program_is_there(manuals, program):
    options = set(re.findall(r"^  (--[\w-]+)", run(BUILT / program, "--help"), re.MULTILINE))

    assert missing(section(manuals[MANUALS[program]], "OPTIONS"), options) == set()


def test_every_command_of_belfryctl_has_an_entry_with_its_options(manuals):
    assert without_entry(manuals["belfryctl.1"], BUILT / "belfryctl") == {}


def test_the_first_page_is_that_of_an_operator(manuals):
    page = manuals["belfry.7"]
    headings = re.findall(r"^([A-Z][A-Z ]+)$", page, re.MULTILINE)
    assert headings == ["NAME", "DESCRIPTION", "ONE FILE", "FIVE COMMANDS", "WHERE TO LOOK"]
    for command in ("enable shop", "pause shop", "status shop", "list --failed", "history shop"):
        assert f"belfryctl {command}" in page


def test_every_variable_of_belfryctl_is_there(manuals):
    # Those of home and state are for directories of services.
    runtime = constants("Sources/Service/BelfryConfiguration/Loading/RuntimePaths.swift", r'ath\("([A-Z_]{4,})"\)')
    sources = [f"Sources/Programs/{name}.swift" for name in ("BelfryCommandLine/TextStyle", "belfryctl/ServiceCommand")]
    read = set().union(*(constants(path, r'environment\["([A-Z_]{4,})"\]') for path in sources))
    variables = read | runtime - {"HOME", "STATE_DIRECTORY", "XDG_STATE_HOME"}

    assert {"BELFRY_SOCKET", "NO_COLOR", "TERM", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"} <= variables
    assert missing(section(manuals["belfryctl.1"], "ENVIRONMENT"), variables) == set()


def test_every_key_of_the_configuration_is_there(manuals):
    printed = run(BUILT / "belfryd", "--print-config")
    keys = set(re.findall(r"^([\w+-]+)=", printed, re.MULTILINE))

    assert {"ListenerTimeout", "RTMIN+18", "ReplaySize", "Format"} <= keys
    assert missing(manuals["belfry.conf.5"], keys) == set()


def test_every_key_of_a_listener_is_there(manuals):
    keys = constants("Sources/Service/BelfryConfiguration/Listener/ListenerSettings.swift", KEY) | constants(HEALTH, KEY)
    variables = constants("Sources/Programs/belfry-listener/RunVariables.swift", r'"(BELFRY_\w+)"')

    assert {"On", "RunOnStart"} <= keys
    assert missing(manuals["belfry.listener.5"], keys | variables) == set()


def test_every_key_of_an_application_is_there(manuals):
    folder = "Sources/Service/BelfryConfiguration/Application"
    keys = constants(f"{folder}/ApplicationFile.swift", KEY) | constants(HEALTH, KEY)
    keys |= constants(f"{folder}/ApplicationVerb.swift", r'case \w+ = "(\w+)"')

    assert {"Unit", "HealthInterval", "CheckReload", "Health"} <= keys
    assert missing(manuals["belfry.application.5"], keys) == set()


def test_every_notification_is_there(manuals):
    names = constants("Sources/Lifecycle/Lifecycle/Notification/LifecycleNotification+Name.swift", r"static let (\w+) = Self\(catalogue")

    assert {"willTerminate", "powerFailing"} <= names
    assert missing(manuals["belfry-notifications.7"], names) == set()


@pytest.mark.parametrize("page", INTERFACES)
def test_every_method_and_error_is_there(manuals, page):
    words = constants(INTERFACES[page], r"^    ((?:method|error) \w+)\(")

    assert "error Overrun" in words
    assert missing(section(manuals[page], "INTERFACE"), words) == set()


def test_every_unit_is_there(manuals):
    units = {path.name for path in (PROJECT / "systemd").iterdir() if path.suffix in (".service", ".timer")}

    assert {"belfryd.service", "belfryd-fetch@.timer"} <= units
    assert missing(re.sub(r"@(NAME|video)\.", "@.", manuals["belfryd.service.8"]), units) == set()


def test_every_field_of_the_journal_is_there(manuals):
    targets = ["Belfry", "BelfryCacheFlush", "BelfryListeners", "BelfrySystemd"]
    sources = [str(path) for target in targets for path in (PROJECT / "Sources").glob(f"*/{target}/**/*.swift")]
    fields = {field for source in sources for field in constants(source, r'"(BELFRY_[A-Z_]+)"')} - {"BELFRY_SOCKET"}

    assert {"BELFRY_STATE", "BELFRY_DETAILS"} <= fields
    assert missing(manuals["belfryd.service.8"], fields) == set()


@pytest.mark.parametrize("program", MANUALS)
def test_every_exit_status_is_there(manuals, program):
    assert statuses_of(manuals[MANUALS[program]]) == statuses(BUILT / program)


def test_every_exit_status_of_the_code_is_there(manuals):
    daemon = constants("Sources/Service/Belfry/ServiceEnding.swift", r"static let \w+: Int32 = (\d+)")
    client = constants("Sources/Programs/BelfryClient/ClientFailure.swift", r"CommandStatus\(rawValue: (\d+)\)")

    assert missing(section(manuals["belfryd.8"], "EXIT STATUS"), daemon) == set()
    assert missing(section(manuals["belfryctl.1"], "EXIT STATUS"), client) == set()
