# SPDX-License-Identifier: Apache-2.0
# Belfry: lifecycle notifications for Linux services.
"""Requests in which one field holds a text that is expensive to read, or a number at the end of its type or beyond."""

import json
from collections.abc import Callable, Iterator

from bystanders import FORGED
from hostile_clients import raw_call
from varlink_methods import Method, Parameter, methods

# The longest request, less the text around the field.
LONG = 1_000_000
DEEP = 900_000
# Valid values for fields that do not take any text.
VALID = {"signal": "HUP", "outcome": "completed", "url": "x-example:it", "interface": "io.belfry.Lifecycle"}

ENDS = [-(1 << 63) - 1, -(1 << 63), -(1 << 63) + 1, -1, 0, 1, 1000, 10**6, 1 << 31, 1 << 53, (1 << 53) + 1, (1 << 63) - 2]
BEYOND = [(1 << 63) - 1, 1 << 63, (1 << 64) - 1, 1 << 64, 10**30, 10**40, 10**1000]
FLOATS = "1e308 -1e308 -0.0 -0 1e-400 1e400 9.3e18 9223372036854775807.0 1e18 1e3 0.5 1E0".split()
NUMBERS = [*map(str, ENDS + BEYOND), *FLOATS, *"01 1. +1 0x10 NaN 1e -".split()]

Fill = Callable[[str], bytes]


def quoted(text: bytes) -> bytes:
    return b'"%s"' % text


def marks(_: str) -> bytes:
    """Combining marks, whose order Unicode defines: comparing such texts takes quadratic time if they are normalised."""
    return quoted("\u0301\u0323".encode() * (LONG // 4))


def escapes(_: str) -> bytes:
    return quoted(rb"\u0301\u0323" * (DEEP // 12))


def nested(_: str) -> bytes:
    return b"[" * (DEEP // 2) + b"]" * (DEEP // 2)


def empty_arrays(_: str) -> bytes:
    return b"[" + b"[]," * (DEEP // 3) + b"[]]"


def duplicates(_: str) -> bytes:
    return b"{" + b'"e":0,"\xcc\x81\xcc\xa3":0,' * (DEEP // 18) + b'"e":0}'


def members(_: str) -> bytes:
    """As many different names as fit."""
    return b"{" + b",".join(b'"%x":0' % number for number in range(DEEP // 10)) + b"}"


def forged(_: str) -> bytes:
    """Every way to begin a new line, followed by an imitation of a log line; and control sequences for terminals."""
    ends = ["\n", "\r\n", "\r", "\u0085", "\u2028", "\u2029", "\v", "\f", "\x1e", "\0", "\x1b[2J\n", "\n<0>"]
    return json.dumps("".join(f"{end}{FORGED} by a client" for end in ends)).encode()


def valid(parameter: Parameter, types: dict) -> object:
    """A value that the service accepts, or refuses because of its meaning."""
    if parameter.kind in types:
        value = {field.name: valid(field, types) for field in types[parameter.kind]}
    else:
        text = VALID.get(parameter.name, "org.example.it")
        value = {"string": text, "int": 1, "float": 1.5, "bool": False, "object": {}}.get(parameter.kind, {})
    return [value] if parameter.list else value


def places(parameter: Parameter, types: dict, fill: Fill) -> Iterator[bytes]:
    """The parameter with the text in each possible place."""
    filled = fill(parameter.name)
    values = [filled]
    for field in types.get(parameter.kind, ()):
        rest = {other.name: valid(other, types) for other in types[parameter.kind] if other != field}
        values.append(json.dumps(rest).encode()[:-1] + b', "%s": %s}' % (field.name.encode(), filled))
    if parameter.kind == "object":
        values.append(b'{"text": %s}' % filled)
        if filled.startswith(b'"'):
            values.append(b"{%s: 1}" % filled)
    for value in values:
        yield b'"%s":%s' % (parameter.name.encode(), b"[" + value + b"]" if parameter.list else value)
    if parameter.list:
        yield b'"%s":%s' % (parameter.name.encode(), filled)


def of_parameters(every: list[Method], types: dict, fill: Fill) -> Iterator[bytes]:
    """A request for each place in the parameters of each method, and for a parameter that the method does not have."""
    for method in every:
        more = b',"more":true' if method.name.endswith((".Subscribe", ".Attach", ".Hold")) else b""
        for parameter in method.parameters:
            others = {other.name: valid(other, types) for other in method.parameters if other != parameter}
            rest = json.dumps(others).encode()[1:-1]
            for place in places(parameter, types, fill):
                yield raw_call(method.name, b",".join(part for part in (rest, place) if part), more)
        filled = fill("unknown")
        yield raw_call(method.name, b'"unknown":' + filled, more)
        if filled.startswith(b'"'):
            yield raw_call(method.name, filled + b":1", more)


def of_header(fill: Fill) -> Iterator[bytes]:
    """A request for each place around the parameters."""
    filled = fill("header")
    call = b'"method":"org.varlink.service.GetInfo"'
    yield b'{"method":%s}\0' % filled
    for flag in (b"more", b"oneway", b"upgrade", b"parameters", b"unknown", b"org.example.unknown"):
        yield b'{%s,"%s":%s}\0' % (call, flag, filled)
    yield filled + b"\0"
    if filled.startswith(b'"'):
        yield b"{%s:1,%s}\0" % (filled, call)
        for name in (b"io.belfry.Lifecycle.", b"org.varlink.service.", b"io.belfry."):
            yield b'{"method":"%s%s}\0' % (name, filled[1:])
        yield b'{"method":%s.GetState"}\0' % filled[:-1]


def requests(belfry, fill: Fill) -> list[bytes]:
    """A request for each place, of methods that do not disturb other clients."""
    with belfry.connect() as client:
        every, types = methods(client)
    harmless = [method for method in every if not method.name.endswith((".Pause", ".Interrupt"))]
    return [*of_header(fill), *of_parameters(harmless, types, fill)]
