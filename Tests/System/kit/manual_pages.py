# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Manual pages as text, and what the programs say of themselves."""

import json
import re
import subprocess
from pathlib import Path

from host_roots import PROJECT


def run(*command) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def manual_pages(folder: Path) -> dict[str, str]:
    """The pages as text, by name. They are written into the folder."""
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


def entries(page: str) -> dict[str, str]:
    """What the manual of a program says of each command: the lines of its synopsis, and the text below them."""
    found = {}
    for synopses, text in re.findall(r"^ {7}(\S.*)\n((?:\n* {12}.*\n)+)", section(page, "COMMANDS"), re.MULTILINE):
        for synopsis in synopses.split(", "):
            command = re.match(r"[a-z-]+", synopsis)[0]
            found[command] = found.get(command, "") + synopses + text
    return found


def options_of_commands(program: Path) -> dict[str, set[str]]:
    """The long options of each command of a program."""
    commands = {}

    def collect(command: dict, path: list[str]) -> None:
        for sub in command.get("subcommands", []):
            collect(sub, [*path, sub["commandName"]])
        names = [name for argument in command.get("arguments", []) for name in argument.get("names") or []]
        commands[" ".join(path)] = {"--" + name["name"] for name in names if name["kind"] == "long"}

    collect(json.loads(run(program, "--experimental-dump-help"))["command"], [])
    # One of the options --help.
    del commands["help"]
    return commands


def without_entry(page: str, program: Path) -> dict[str, set[str]]:
    """The commands of a program that its manual has no entry for, and the options that the entry lacks."""
    told, common, commands = entries(page) | {"": ""}, section(page, "OPTIONS"), options_of_commands(program)
    assert len(commands) > 5 and set(told) == set(commands)
    return {command: lacking for command in commands if (lacking := missing(told[command] + common, commands[command]))}


def statuses(program: Path) -> set[str]:
    """The exit statuses that the help of a program lists."""
    text = re.search(r"Exit status: (.+?)(?:\n\n|\Z)", run(program, "--help"), re.DOTALL)[1]
    return set(re.findall(r"\b\d+(?:\+n)?", text))


def statuses_of(page: str) -> set[str]:
    """The exit statuses that a manual lists."""
    return set(re.findall(r"^ *│(\d\S*)", section(page, "EXIT STATUS"), re.MULTILINE))
