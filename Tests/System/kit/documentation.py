# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The code blocks of all pages, which tests run."""

import re

from host_roots import PROJECT

PLACES = ("README.md", "docs/**/*.md", "Examples/*/README.md", "Sources/*/*/*.docc/*.md")
PAGES = [page for place in PLACES for page in sorted(PROJECT.glob(place))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_block(language: str, inside: str) -> str:
    """The only block in this language that contains the text."""
    blocks = [block for page in PAGES for block in BLOCK.findall(page.read_text())]
    (text,) = [text for name, text in blocks if name == language and inside in text]
    return text


def script(inside: str) -> str:
    """The only console block that contains the text, without prompts: commands with here-documents that print nothing."""
    return re.sub(r"^[$#] ", "", code_block("console", inside), flags=re.MULTILINE)


def sample(command: str) -> tuple[list[str], list[str]]:
    """The commands in the console block that contains this one, and the lines that they print."""
    lines = code_block("console", command).splitlines()
    prompts = ("$ ", "# ")
    return [line[2:] for line in lines if line.startswith(prompts)], [line for line in lines if not line.startswith(prompts)]


def shape(line: str) -> str:
    """The line with dates, durations, ids of processes and users, and the number of a notification replaced."""
    line = re.sub(r"\d{4}-\d\d-\d\d(T| )\d\d:\d\d:\d\d(\.\d+\+0000 +\d+)?", "DATE", line)
    line = re.sub(r"deadlineUsec=\d+", "deadlineUsec=NUMBER", line)
    line = re.sub(r"\b([pu]id) \d+", r"\1", re.sub(r"^( +Last: )\d+", r"\1NUMBER", line))
    return re.sub(r"\d+(\.\d+)? (us|ms|s)\b", "TIME", line)


def commands(inside: str) -> list[str]:
    """The commands of the only console block that contains the text, without prompts, comments and what they print."""
    lines = [line for line in code_block("console", inside).splitlines() if line[:2] in ("$ ", "# ")]
    return [re.sub(r" +# .*", "", line[2:]) for line in lines]
