# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The manual pages are well formed, and have every option, command, key, notification and exit status of the programs."""

import json
import re
import subprocess

import pytest
from host_roots import PROJECT

BUILT = PROJECT / ".build/release"
# The manual of each program.
MANUALS = {
    "belfryd": "belfryd.8",
    "belfryctl": "belfryctl.1",
    "belfry-listener": "belfry.listener.5",
    "belfry-fleetd": "belfry-fleetd.8",
}
# The manuals that describe a Varlink interface, and where it is declared.
INTERFACES = {
    "io.belfry.Lifecycle.7": "Sources/Components/BelfrySocket/Interface/LifecycleInterface.swift",
    "belfry-fleetd.8": "Fleet/Sources/belfry-fleetd/View/FleetInterface.swift",
}


def run(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def manuals(tmp_path_factory) -> dict[str, str]:
    """The pages as text, by name."""
    folder = tmp_path_factory.mktemp("manuals")
    run(PROJECT / "scripts/make-manuals", folder)
    # Not those that only name another page.
    found = [page for page in folder.iterdir() if not page.read_text().startswith(".so ")]
    problems = subprocess.run(["mandoc", "-Tlint", "-Wwarning", *found], capture_output=True, text=True)
    assert problems.stdout == ""
    pages = {page.name: run("mandoc", "-Tutf8", "-O", "width=400", page) for page in found}
    return {name: re.sub(".\b", "", text) for name, text in pages.items()}


def missing(page: str, words: set[str]) -> set[str]:
    assert words
    return {word for word in words if not re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", page)}


def section(page: str, title: str) -> str:
    """What stands below the heading that begins with this title."""
    (text,) = re.findall(rf"^{title}\b.*\n((?: .*\n|\n)+)", page, re.MULTILINE)
    return text


def constants(path: str, pattern: str) -> set[str]:
    """What a source file declares."""
    return set(re.findall(pattern, (PROJECT / path).read_text(), re.MULTILINE))


@pytest.mark.parametrize("program", ["belfryd", "belfry-listener", "belfry-fleetd"])
def test_every_option_of_a_program_is_there(manuals, program):
    options = set(re.findall(r"^  (--[\w-]+)", run(BUILT / program, "--help"), re.MULTILINE))

    assert missing(section(manuals[MANUALS[program]], "OPTIONS"), options) == set()


def entries(page: str) -> dict[str, str]:
    """What the manual of belfryctl says of each command: the lines of its synopsis, and the text below them."""
    found = {}
    for synopses, text in re.findall(r"^ {7}(\S.*)\n((?:\n* {12}.*\n)+)", section(page, "COMMANDS"), re.MULTILINE):
        for synopsis in synopses.split(", "):
            command = re.match(r"(?:fleet )?[a-z-]+", synopsis)[0]
            found[command] = found.get(command, "") + synopses + text
    return found


def test_every_command_of_belfryctl_has_an_entry_with_its_options(manuals):
    page = manuals["belfryctl.1"]
    # Those that have subcommands have only the common options.
    told = entries(page) | {"": "", "fleet": ""}
    common, commands = section(page, "OPTIONS"), {}

    def collect(command: dict, path: list[str]) -> None:
        for sub in command.get("subcommands", []):
            collect(sub, [*path, sub["commandName"]])
        names = [name for argument in command.get("arguments", []) for name in argument.get("names") or []]
        commands[" ".join(path)] = {"--" + name["name"] for name in names if name["kind"] == "long"}

    collect(json.loads(run(BUILT / "belfryctl", "--experimental-dump-help"))["command"], [])
    # One of the options --help.
    del commands["help"]

    assert {"pause", "fleet pause", "fleet continue"} <= set(commands) and set(told) == set(commands)
    assert {command: lacking for command in commands if (lacking := missing(told[command] + common, commands[command]))} == {}


def test_every_variable_of_belfryctl_is_there(manuals):
    # That of the home directory is for directories of services.
    variables = constants("Sources/Programs/belfryctl/CommandContext.swift", r'"([A-Z_]{4,})"') - {"HOME"}

    assert {"BELFRY_SOCKET", "NO_COLOR"} <= variables
    assert missing(section(manuals["belfryctl.1"], "ENVIRONMENT"), variables) == set()


def test_every_key_of_the_configuration_is_there(manuals):
    printed = run(BUILT / "belfryd", "--print-config")
    keys = set(re.findall(r"^([\w+-]+)=", printed, re.MULTILINE))

    assert {"ListenerTimeout", "RTMIN+18", "ReplaySize", "Format"} <= keys
    assert missing(manuals["belfry.conf.5"], keys) == set()


def test_every_key_of_a_fleet_is_there(manuals):
    keys = set(re.findall(r"^#([A-Z]\w+)=", (PROJECT / "config/fleet.conf").read_text(), re.MULTILINE))

    assert {"Accept", "CAFile", "Host"} <= keys
    assert missing(manuals["belfry-fleetd.8"], keys) == set()


def test_every_key_of_a_listener_is_there(manuals):
    keys = constants("Sources/Service/BelfryConfiguration/Listener/ListenerSettings.swift", r'KeyDescription\("(\w+)"')
    variables = constants("Sources/Programs/belfry-listener/RunVariables.swift", r'"(BELFRY_\w+)"')

    assert {"On", "RunOnStart"} <= keys
    assert missing(manuals["belfry.listener.5"], keys | variables) == set()


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

    assert {"BELFRY_STATE", "BELFRY_CACHE"} <= fields
    assert missing(manuals["belfryd.service.8"], fields) == set()


@pytest.mark.parametrize("program", MANUALS)
def test_every_exit_status_is_there(manuals, program):
    text = re.search(r"Exit status: (.+?)(?:\n\n|\Z)", run(BUILT / program, "--help"), re.DOTALL)[1]
    listed = set(re.findall(r"^ *│(\d\S*)", section(manuals[MANUALS[program]], "EXIT STATUS"), re.MULTILINE))

    assert listed == set(re.findall(r"\b\d+(?:\+n)?", text))


def test_every_exit_status_of_the_code_is_there(manuals):
    daemon = constants("Sources/Service/Belfry/ServiceEnding.swift", r"static let \w+: Int32 = (\d+)")
    client = constants("Sources/Programs/BelfryClient/ClientFailure.swift", r"CommandStatus\(rawValue: (\d+)\)")

    assert missing(section(manuals["belfryd.8"], "EXIT STATUS"), daemon) == set()
    assert missing(section(manuals["belfryctl.1"], "EXIT STATUS"), client) == set()
