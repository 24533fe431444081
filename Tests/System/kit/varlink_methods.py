# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""The methods of a service, from its own description, with the names and types of their parameters."""

import re
from dataclasses import dataclass

from varlink_client import VarlinkClient

COMMENT = re.compile(r"#.*")
DECLARATION = re.compile(r"\b(method|type)\s+(\w+)\s*\(")
FIELD = re.compile(r"\s*(\w+)\s*:\s*((?:\?|\[string\]|\[\])*)\s*")


@dataclass(frozen=True)
class Parameter:
    """`kind` is the type without its marks: string, int, float, bool, object, or a type's name."""

    name: str
    kind: str
    optional: bool
    list: bool


@dataclass(frozen=True)
class Method:
    name: str
    parameters: tuple[Parameter, ...]


def enclosed(text: str, start: int) -> str:
    """The text between the parenthesis that opens at `start` and its closing one."""
    depth = 1
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    raise ValueError("a parenthesis is not closed")


def fields(text: str) -> tuple[Parameter, ...]:
    found, at = [], 0
    while match := FIELD.match(text, at):
        name, marks = match.groups()
        at = match.end()
        if text[at] == "(":
            kind = f"({enclosed(text, at + 1)})"
        else:
            kind = re.compile(r"\w+").match(text, at)[0]
        at = text.find(",", at + len(kind)) + 1 or len(text)
        found.append(Parameter(name, kind, "?" in marks, "[]" in marks))
    return tuple(found)


def methods(client: VarlinkClient) -> tuple[list[Method], dict[str, tuple[Parameter, ...]]]:
    """Every method of every interface by its full name, and the fields of the types that are structures."""
    found, types = [], {}
    for interface in client.call("org.varlink.service.GetInfo")["interfaces"]:
        answer = client.call("org.varlink.service.GetInterfaceDescription", {"interface": interface})
        text = COMMENT.sub("", answer["description"])
        for match in DECLARATION.finditer(text):
            inside = fields(enclosed(text, match.end()))
            if match[1] == "method":
                found.append(Method(f"{interface}.{match[2]}", inside))
            else:
                types[match[2]] = inside
    return found, types
