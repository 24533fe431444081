# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The code blocks of README.md and docs, which tests run."""

import re

from host_roots import PROJECT

PAGES = [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def code_block(language: str, inside: str) -> str:
    """The only block in this language that contains the text."""
    blocks = [block for page in PAGES for block in BLOCK.findall(page.read_text())]
    (text,) = [text for name, text in blocks if name == language and inside in text]
    return text


def commands(inside: str) -> list[str]:
    """The commands of the only console block that contains the text, without prompts, comments and what they print."""
    lines = [line for line in code_block("console", inside).splitlines() if line[:2] in ("$ ", "# ")]
    return [re.sub(r" +# .*", "", line[2:]) for line in lines]
